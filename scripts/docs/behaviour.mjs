// The behaviour table.

import { code, jsonCode, page, table } from "./markdown.mjs";
import { typeOf } from "./schemas.mjs";

/** The values that an entry takes; of an object also its fields. */
function valuesOf(schema) {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `${code(name)}: ${typeOf(field)}`,
  );
  if (fields.length > 0) return `object with ${fields.join(", ")}`;
  const branches = schema.anyOf?.map(valuesOf);
  if (branches !== undefined) return [...new Set(branches)].join(" or ");
  if (schema.type === "object" && schema.propertyNames?.enum !== undefined)
    return `object of ${schema.propertyNames.enum.map(code).join(", ")} with ${typeOf(schema.additionalProperties)}`;
  return typeOf(schema);
}

const sectionsOf = (entries) => [...new Set(entries.map(([, { section }]) => section))];

/** A heading and a table for each section of the specification. */
const bySection = (entries, heads, rowOf) =>
  sectionsOf(entries).flatMap((section) => [
    `### ${section}`,
    table(
      heads,
      entries.filter(([, entry]) => entry.section === section).map(([key, entry]) => rowOf(key, entry)),
    ),
  ]);

export function behaviourPage({ BEHAVIOUR_TABLE, BEHAVIOUR_KEYS, STRICT, PROFILES }) {
  const entries = BEHAVIOUR_KEYS.map((key) => [key, BEHAVIOUR_TABLE[key]]);
  const isAnswer = ([, { schema }]) =>
    schema.properties?.status !== undefined && schema.properties?.body !== undefined;
  const differs = (key) =>
    JSON.stringify(PROFILES.realistic[key]) !== JSON.stringify(PROFILES.documented[key]);
  return page(
    "Behaviour",
    "What the specification leaves open, and what the simulator does about it. `serve --behaviour documented` (the default) takes the default of every entry, `--behaviour realistic` also the values of the column *realistic*; `--set key=value`, a behaviour file, a scenario's `behaviour` and `PATCH /__sim/behaviour` change single ones. `GET /__sim/behaviour` shows what is in force.",
    "The source says where a default comes from: `documented` is in the specification, `assumed` is our own guess, `simulator` is there because something is being simulated.",
    `\`--strict\` sets ${Object.entries(STRICT)
      .map(([key, value]) => code(`${key}=${value}`))
      .join(", ")}.`,
    "## Rules and forms",
    bySection(
      entries.filter((entry) => !isAnswer(entry)),
      ["key", "question", "values", "default", "realistic", "source"],
      (key, { question, schema, default: standard, source }) => [
        code(key),
        question,
        valuesOf(schema),
        jsonCode(standard),
        differs(key) ? jsonCode(PROFILES.realistic[key]) : "",
        source,
      ],
    ),
    "## Answers",
    "Each value is an object with `status` (200 to 599) and `body` (any JSON). `${…}` in a body is replaced by what the call made or met, such as `${request.customerThreadId}`; what the default uses shows what there is.",
    bySection(
      entries.filter(isAnswer),
      ["key", "question", "status", "body", "source"],
      (key, { question, default: standard, source }) => [
        code(key),
        question,
        standard.status,
        jsonCode(standard.body),
        source,
      ],
    ),
  );
}

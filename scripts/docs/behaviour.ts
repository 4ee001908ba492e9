/** The behaviour table. */
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import type { AnswerTemplate, BehaviourEntry } from "../../src/service/behaviour/entry.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import {
  BEHAVIOUR_KEYS,
  BEHAVIOUR_TABLE,
  type BehaviourKey,
  PROFILES,
  STRICT,
} from "../../src/service/behaviour/table.js";
import { type Blocks, code, jsonCode, page, table } from "./markdown.js";
import { typeOf } from "./schemas.js";
import { SETTLED } from "./settled.js";
import { sectionLink } from "./specification.js";

interface KeyedEntry<T = unknown> extends BehaviourEntry<T> {
  readonly key: BehaviourKey;
}

/** A heading and a table for each section of the specification. */
const bySection = <E extends KeyedEntry>(
  entries: readonly E[],
  heads: readonly string[],
  rowOf: (entry: E) => readonly (string | number)[],
): Blocks =>
  [...new Set(entries.map(({ section }) => section))].map((section) => [
    `### ${section}`,
    `Specification: ${sectionLink(section)}.`,
    table(heads, entries.filter((entry) => entry.section === section).map(rowOf)),
  ]);

/** The values besides the default, or what an entry with many values takes. */
const alternativesCell = (entry: KeyedEntry): string =>
  alternativesOf(entry)?.map(jsonCode).join(" or ") ?? typeOf(entry.schema);

const isAnswer = (entry: KeyedEntry): entry is KeyedEntry<AnswerTemplate> => entry.schema === answerSchema;
const differs = (key: BehaviourKey): boolean =>
  JSON.stringify(PROFILES.realistic[key]) !== JSON.stringify(PROFILES.documented[key]);

export function behaviourPage(): string {
  const entries = BEHAVIOUR_KEYS.map((key): KeyedEntry => ({ key, ...BEHAVIOUR_TABLE[key] }));
  return page(
    "Behaviour",
    "The undocumented details of the service, and how the simulator handles them. `serve --behaviour documented` (the default) uses the default of every entry; `--behaviour realistic` uses the values of the column *realistic* instead; `--set key=value`, a behaviour file, a scenario's `behaviour` and `PATCH /__sim/behaviour` change single entries. `GET /__sim/behaviour` shows the current values.",
    "The source of a default is `documented` (in the specification), `assumed` (our own assumption) or `simulator` (needed for the simulation).",
    `\`--strict\` sets ${Object.entries(STRICT)
      .map(([key, value]) => code(`${key}=${value}`))
      .join(", ")}.`,
    "## Rules and forms",
    bySection(
      entries.filter((entry) => !isAnswer(entry)),
      ["key", "question", "default", "alternatives", "realistic", "source"],
      (entry) => [
        code(entry.key),
        entry.question,
        jsonCode(entry.default),
        alternativesCell(entry),
        differs(entry.key) ? jsonCode(PROFILES.realistic[entry.key]) : "",
        entry.source,
      ],
    ),
    "## Responses",
    "Each can be replaced by any other response: an object with `status` (200 to 599) and `body` (any JSON). `${…}` in a body is replaced by a value of the call, such as `${request.customerThreadId}`; the defaults show the available names.",
    bySection(
      entries.filter(isAnswer),
      ["key", "question", "status", "body", "source"],
      ({ key, question, default: preset, source }) => [
        code(key),
        question,
        preset.status,
        jsonCode(preset.body),
        source,
      ],
    ),
    "## Settled without an entry",
    "Undocumented details without a sensible alternative.",
    table(
      ["section", "question", "answer", "why"],
      SETTLED.map(({ section, question, answer, why }) => [sectionLink(section), question, answer, why]),
    ),
  );
}

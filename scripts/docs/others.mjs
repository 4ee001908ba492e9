// Events, scenario steps, options, fixtures, and the list of pages.

import { code, jsonBlock, page, table } from "./markdown.mjs";
import { fieldTable, rulesOf, typeOf } from "./schemas.mjs";

export function eventsPage(tables, examples) {
  const { messageEventSchema, transferEventSchema, legacyPayloadSchema, SUBSCRIPTION_OF } = tables;
  const part = (title, words, schema, example) => [
    `## ${title}`,
    words,
    fieldTable(schema),
    "For example:",
    jsonBlock(example),
  ];
  return page(
    "Events",
    "Each event is one HTTP POST with a JSON body to every webhook of the organization that is enabled and subscribed to it, with the webhook's `extraHeaders`. AsyncAPI: `GET /__sim/asyncapi.json`, or `messaging-sim schema asyncapi`.",
    "Timestamps are milliseconds unless [`timestamps.unit`](behaviour.md) says otherwise; attempts, order and signatures are decided by the entries `delivery.*`.",
    part(
      "message",
      `A message was sent or received. Subscription key: \`${SUBSCRIPTION_OF.message}\`.`,
      messageEventSchema,
      examples.message,
    ),
    part(
      "transfer",
      `A conversation was reassigned to another business. Subscription key: \`${SUBSCRIPTION_OF.transfer}\`.`,
      transferEventSchema,
      examples.transfer,
    ),
    part(
      "Legacy payload",
      "Webhooks that were set through `POST /api/update-hook-url` get messages in this flat form, always with exactly one attempt.",
      legacyPayloadSchema,
      examples.legacy,
    ),
  );
}

/** Where a part of a step is described that another table declares. */
const PARTS = {
  fault: "Its fields are those of a [fault](control.md#fault).",
  behaviour: "Its keys are those of the [behaviour table](behaviour.md).",
};

export function scenarioPage({ STEPS, ScenarioFormat, STEP_KEYS }) {
  const top = new ScenarioFormat().schema();
  const keys = Object.entries(top.properties).filter(([key]) => key !== "$schema" && key !== "steps");
  const required = (name) => ((top.required ?? []).includes(name) ? "yes" : "no");
  const steps = STEPS.flatMap(({ key, words, short, long, beside = {}, inThread }) => [
    `### ${key}`,
    `${words[0].toUpperCase()}${words.slice(1)}.`,
    short && `Short form: ${code(`${key}: …`)}, ${typeOf(short.schema)} (${short.words}).`,
    rulesOf(long),
    fieldTable(long),
    PARTS[long["x-part"]],
    Object.keys(beside).length > 0 && ["Beside it:", fieldTable({ type: "object", properties: beside })],
    inThread && "`thread` may be left out where the scenario names one.",
  ]);
  return page(
    "Scenarios",
    "A scenario is a YAML or JSON file. `messaging-sim run` runs it, `messaging-sim check` validates it, `POST /__sim/scenarios/run` runs it in a sandbox; `messaging-sim schema scenario` prints its JSON Schema for editors.",
    "## Top level",
    table(
      ["key", "type", "required", "notes"],
      [
        ...keys.map(([name, schema]) => [code(name), typeOf(schema), required(name), schema.description]),
        [code("steps"), "array of steps", "yes", "one after the other"],
      ],
    ),
    "`${param:name}` stands for a parameter, `${thread}` for the scenario's thread, `${id.status}` and `${id.body…}` for an earlier step's outcome.",
    "## Steps",
    "Every step may also carry these keys:",
    fieldTable({ type: "object", properties: STEP_KEYS }),
    steps.flat(),
  );
}

export function optionsPage({ SERVE_OPTIONS, OPTION_NAMES, variableOf, isSwitch, isRepeatable }) {
  const groups = [...new Set(OPTION_NAMES.map((name) => SERVE_OPTIONS[name].group))];
  const rowOf = (name) => {
    const option = SERVE_OPTIONS[name];
    const { description: words, schema, default: standard, only } = option;
    const list = isRepeatable(option) && schema.type === "array" ? schema.items : schema;
    return [
      only === "file" ? "config file only" : code(`--${name}`),
      only === "file" ? code(name) : code(variableOf(name)),
      isSwitch(option)
        ? "switch"
        : option.file === true && schema.type === "string"
          ? "file"
          : name === "set"
            ? "key=value"
            : typeOf({ ...list, title: undefined }),
      standard === undefined ? "" : code(String(standard)).replace(/^`(.* .*)`$/, "$1"),
      words,
    ];
  };
  return page(
    "Options of serve",
    "Each option is a flag, an environment variable, and a key of the file that `--config` names (YAML or JSON, keys as the flags without `--`). Flags win over the environment, the environment over the file. In a variable, several values stand with commas between them. An unusable option ends with exit code 2 and a line that names it.",
    groups.flatMap((group) => [
      `## ${group}`,
      table(
        ["flag", "variable", "value", "default", "what it does"],
        OPTION_NAMES.filter((name) => SERVE_OPTIONS[name].group === group).map(rowOf),
      ),
    ]),
  );
}

export function fixturesPage({ RECORD_SCHEMAS, COLLECTIONS, REFERENCES }) {
  return page(
    "Fixtures",
    "A fixture is one JSON document. Its keys are collections, each an array of records with a string `id`; a collection that is left out is empty. `fixtures/default.json` is what a bare start serves, `messaging-sim check` validates a file, `messaging-sim generate` makes one, `messaging-sim schema fixtures` prints the JSON Schema. A dangling reference, an id given twice or a value of the wrong form makes the whole file unusable; every problem is reported with its place.",
    COLLECTIONS.flatMap((name) => [
      `## ${name}`,
      fieldTable(RECORD_SCHEMAS[name]),
      REFERENCES[name].length > 0 &&
        `Names records of other collections: ${REFERENCES[name].map(({ field, target }) => `${code(field)} (${target})`).join(", ")}.`,
    ]),
  );
}

export const indexPage = () =>
  page(
    "Reference",
    "Written from the tables that the simulator itself runs on, so it is always what the simulator does.",
    table(
      ["page", ""],
      [
        [
          "[The simulated API](api/README.md)",
          "a page for each operation: fields, example, answers by status",
        ],
        ["[Behaviour](behaviour.md)", "what the specification leaves open"],
        ["[Events](events.md)", "what webhooks are sent"],
        ["[Control API](control.md)", "the routes below `/__sim`"],
        ["[Scenarios](scenario.md)", "the format and its steps"],
        ["[Gallery](gallery.md)", "the scenarios that ship"],
        ["[Options of serve](options.md)", "flags, variables, config file"],
        ["[Fixtures](fixtures.md)", "the records that a world starts from"],
      ],
    ),
  );

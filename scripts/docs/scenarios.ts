/** The scenario format. */
import { STEP_KEYS } from "../../src/scenarios/format.js";
import type { StepKind } from "../../src/scenarios/step.js";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { type Blocks, block, code, page, table } from "./markdown.js";
import { STEP_EXAMPLES } from "./scenario-examples.js";
import { fieldTable, rulesOf, typeOf } from "./schemas.js";

/** Where a part of a step is described that another table declares. */
const PARTS: Readonly<Record<string, string>> = {
  fault: "It has the fields of a [fault](control/shapes.md#fault).",
  behaviour: "Its keys are listed in the [behaviour table](behaviour.md).",
};

function stepPart({ key, description, short, long, beside = {}, inThread }: StepKind): Blocks {
  return [
    `### ${key}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    block("yaml", STEP_EXAMPLES[key] ?? ""),
    short && `Short form: ${code(`${key}: …`)}, ${typeOf(short.schema)} (${short.schema.description}).`,
    rulesOf(long),
    fieldTable(long),
    PARTS[String(long["x-part"])],
    Object.keys(beside).length > 0 && ["Sibling keys:", fieldTable({ type: "object", properties: beside })],
    inThread && "`thread` is optional if the scenario sets one.",
  ];
}

export function scenarioPage(): string {
  const { properties = {}, required = [] } = scenarioFormat().schema();
  const keys = Object.entries(properties).filter(([key]) => key !== "$schema" && key !== "steps");
  return page(
    "Scenarios",
    "A scenario is a YAML or JSON file. `messaging-sim run` runs it, `messaging-sim check` validates it, `POST /__sim/scenarios/run` runs it in a sandbox; `messaging-sim schema scenario` prints its JSON Schema for editors.",
    "## Top level",
    table(
      ["key", "type", "required", "notes"],
      [
        ...keys.map(([name, schema]) => [
          code(name),
          typeOf(schema),
          required.includes(name) ? "yes" : "no",
          schema.description,
        ]),
        [code("steps"), "array of steps", "yes", "one after the other"],
      ],
    ),
    "Placeholders: `${param:name}` is a parameter, `${thread}` the scenario's thread, `${id.status}` and `${id.body…}` the outcome of an earlier step.",
    "## Matching",
    "A MATCH is a part of what is expected: objects match if they have at least these fields, arrays element by element, other values if they are equal. In place of a value, an object with operators is a condition: `{ $contains: order }`, `{ $regex: '(?i)^hello' }`, `{ $any: string }`, `{ $gt: 3 }`, `{ $oneOf: [waiting, replied] }`, `{ $not: null }`, `{ $absent: true }`. The fields of `delivered` and `expect` whose type is *anything* are such patterns. [All operators](control/waiting.md#matching).",
    "## Steps",
    "Every step also accepts these keys:",
    fieldTable({ type: "object", properties: STEP_KEYS }),
    STEPS.map(stepPart),
  );
}

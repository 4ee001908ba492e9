/** The scenario format: its JSON Schema and validators, derived from the table of steps. */

import type { ValidateFunction } from "ajv";
import type { Path } from "../kernel/json.js";
import { isObject } from "../kernel/json.js";
import { PROFILE_NAMES } from "../kernel/names.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import type { InferReadonly, Schema } from "../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  nothing,
  number,
  object,
  oneOf,
  optional,
  published,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { durationSchema } from "../kernel/units.js";
import type { Fields, KnownValues, StepKind } from "./step.js";
import { MAX_STEPS_LISTED } from "./step.js";
import { STEPS } from "./steps/index.js";
import { idSchema } from "./steps/parts.js";

/** What a scenario shares with the control API, supplied by its owners. */
interface FormatParts {
  /** Of a fault rule, and of values of the behaviour table. */
  readonly schemas: Readonly<Record<"fault" | "behaviour", Schema>>;
  readonly known: KnownValues;
}

/** Keys that any step may carry. */
export const STEP_KEYS = {
  name: optional(string({ minLength: 1, description: "the step's name in reports" })),
  id: optional(
    string({
      pattern: "^[A-Za-z_][A-Za-z0-9_-]*$",
      "x-form": "a plain name",
      description: "the name of the step's outcome in `${id.body…}`",
    }),
  ),
};

const PLACEHOLDER = { type: "string", pattern: "\\$\\{", description: "a placeholder such as ${param:name}" };

export class ScenarioFormat {
  readonly known: KnownValues;
  readonly #schemas: FormatParts["schemas"];
  readonly #ajv = createAjv();
  readonly #validators = new WeakMap<Schema, ValidateFunction>();
  readonly #top = topSchema();

  constructor({ schemas, known }: FormatParts) {
    this.known = known;
    this.#schemas = schemas;
  }

  /** Problems of the top level; `steps` are checked one by one. */
  topProblems(value: Readonly<Record<string, unknown>>): Problem[] {
    const { behaviour } = value;
    return [
      ...this.problems(this.#top, value, []),
      // The behaviour schema is slow to compile: only scenarios that need it pay for it.
      ...(isObject(behaviour) ? this.problems(this.#schemas.behaviour, behaviour, ["behaviour"]) : []),
    ];
  }

  longOf({ schema, long }: StepKind): Schema {
    return schema === undefined ? long : this.#schemas[schema];
  }

  /** The JSON Schema of a whole scenario, for editors and `messaging-sim schema scenario`. */
  schema(): Schema {
    const { properties, ...rest } = published(orPlaceholder(topSchema(BEHAVIOUR_REF)));
    const kinds = STEPS.map((kind) => published(this.#stepSchema(kind)));
    return {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...rest,
      properties: { ...properties, steps: STEPS_REF },
      $defs: { step: { type: "object", anyOf: kinds }, ...published(this.#schemas) },
    };
  }

  #stepSchema(kind: StepKind): Schema {
    const { key, description, short, long, beside } = kind;
    const value = kind.schema === undefined ? inRepeat(long) : { $ref: `#/$defs/${kind.schema}` };
    const either = short === undefined ? value : { anyOf: [short.schema, value] };
    return orPlaceholder({
      title: key,
      type: "object",
      properties: { [key]: { ...either, description }, ...STEP_KEYS, ...beside },
      required: [key],
      additionalProperties: false,
    });
  }

  /** Problems of the value at `base`. Compiles each schema on first use. */
  problems(schema: Schema, value: unknown, base: Path): Problem[] {
    let validate = this.#validators.get(schema);
    if (validate === undefined) this.#validators.set(schema, (validate = this.#ajv.compile(schema)));
    return validate(value) ? [] : schemaProblems(validate.errors, value, base);
  }
}

/** What distinguishes the name of a file from that of a profile. */
export const FILE_NAME = /[./]/;

const STEPS_REF = { type: "array", maxItems: MAX_STEPS_LISTED, items: { $ref: "#/$defs/step" } };
const BEHAVIOUR_REF = anyOf([
  string({ pattern: FILE_NAME.source, description: "a behaviour file, relative to this one" }),
  { type: "object", $ref: "#/$defs/behaviour" } as Schema<Fields>,
]);

/** The parameters of probes that name something of the real service. */
const PROBE_NEEDS = ["thread", "customer"] as const;

const challengeNames = (description: string) =>
  array(string({ minLength: 1, maxLength: 200 }), {
    maxItems: 1_000,
    description: `${description}; \`*\` stands for any text`,
  });

function topSchema(behaviour: Schema<string | Fields> = record(unknown())) {
  return object(
    {
      $schema: optional(string()),
      name: optional(string({ minLength: 1 })),
      fixtures: optional(
        anyOf([string({ minLength: 1 }), record(unknown())], {
          description: "a fixture, or a file relative to this one; default: the simulator's",
        }),
      ),
      behaviour: optional(
        anyOf([oneOf(PROFILE_NAMES), behaviour], {
          description: "a profile, values of the behaviour table, or a file of these relative to this one",
        }),
      ),
      clock: optional(
        anyOf([string({ format: "date-time" }), integer({ minimum: 0 })], {
          description: "freezes the clock at this instant: ISO or ms",
        }),
      ),
      seed: optional(anyOf([integer(), string()])),
      token: optional(
        string({
          minLength: 1,
          description:
            "the token that `request` uses, by its name in the fixture; default: the fixture's first",
        }),
      ),
      thread: optional(idSchema("the default thread of steps")),
      within: optional({
        ...durationSchema,
        description: "how long expectations wait by default, in real time",
        default: "2s",
      }),
      params: optional(
        record(anyOf([string(), number(), boolean(), nothing()]), {
          description: "defaults, changed with --param name=value; read with ${param:name}",
        }),
      ),
      survives: optional(
        challengeNames("challenges that the system under test must survive, even if accepted elsewhere"),
      ),
      tolerates: optional(challengeNames("challenges that it need not survive")),
      probe: optional(
        object(
          {
            does: string({ minLength: 1, description: "its effects on the service" }),
            tells: array(string({ minLength: 1 }), {
              description: "the keys of the behaviour table that it measures",
            }),
            needs: optional(array(oneOf(PROBE_NEEDS), { description: "required parameters" })),
            writes: optional(boolean({ description: "true if it changes something and needs `--write`" })),
          },
          { description: "makes it a probe of the real service, for `compare` without scenario files" },
        ),
      ),
      steps: array(unknown(), {
        minItems: 1,
        maxItems: MAX_STEPS_LISTED,
        "x-form": "a list with a dash before each step",
      }),
    },
    { title: "messaging-sim scenario" },
  );
}

export type TopLevel = InferReadonly<ReturnType<typeof topSchema>>;

export const SCENARIO_KEYS: readonly string[] = Object.keys(topSchema().properties ?? {}).filter(
  (key) => key !== "$schema",
);

/** The long form with the schema of its inner steps, if it has any. */
function inRepeat(long: Schema): Schema {
  const { properties } = long;
  return properties?.steps === undefined
    ? long
    : { ...long, properties: { ...properties, steps: STEPS_REF } };
}

/** The schema, with a placeholder allowed in place of anything but text. */
function orPlaceholder(schema: Schema): Schema {
  const { type, properties, anyOf: forms, items } = schema;
  const copy: Schema = {
    ...schema,
    ...(properties && { properties: mapped(properties) }),
    ...(forms && { anyOf: forms.map(orPlaceholder) }),
    ...(items && { items: orPlaceholder(items) }),
  };
  const isText = type === "string" && !["enum", "format", "pattern"].some((keyword) => keyword in schema);
  const isLeaf = typeof type === "string" && type !== "object" && type !== "array" && !isText;
  if (!isLeaf) return copy;
  const { description, ...rest } = copy;
  return { anyOf: [rest, PLACEHOLDER], ...omitUndefined({ description }) };
}

const mapped = (properties: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, orPlaceholder(value)]));

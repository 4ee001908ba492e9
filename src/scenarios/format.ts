/** The scenario format: its JSON Schema and its validators, all of it derived from the table of steps. */
import type { ValidateFunction } from "ajv";
import { createAjv } from "../kernel/ajv.js";
import { durationSchema } from "../kernel/duration.js";
import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  number,
  object,
  oneOf,
  optional,
  published,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import type { StepKind } from "./step.js";
import { STEPS } from "./steps/index.js";
import { idSchema } from "./steps/parts.js";

/** Schemas of what a scenario has in common with the control API, from those who own them. */
export interface FormatParts {
  /** A fault rule. */
  readonly fault?: Schema;
  /** Values of the behaviour table. */
  readonly behaviour?: Schema;
  /** A fixture document. */
  readonly fixtures?: Schema;
}

/** Keys that any step may carry. */
export const STEP_KEYS = {
  name: optional(string({ minLength: 1, description: "what reports call the step" })),
  id: optional(
    string({
      pattern: "^[A-Za-z_][A-Za-z0-9_-]*$",
      "x-form": "a plain name",
      description: "what `${id.body…}` calls the step's outcome",
    }),
  ),
};

const PLACEHOLDER = { type: "string", pattern: "\\$\\{", description: "a placeholder such as ${param:name}" };

export class ScenarioFormat {
  readonly #parts: FormatParts;
  readonly #ajv = createAjv();
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(parts: FormatParts = {}) {
    this.#parts = parts;
  }

  /** The keys of the top level; `steps` is checked step by step. */
  get top(): Schema {
    const { behaviour = record(unknown()), fixtures = record(unknown()) } = this.#parts;
    return object(
      {
        $schema: optional(string()),
        name: optional(string({ minLength: 1 })),
        fixtures: optional(
          anyOf([string({ minLength: 1 }), fixtures], {
            description: "a file, as seen from this one, or a fixture; left out: the target's own",
          }),
        ),
        behaviour: optional(anyOf([oneOf(["documented", "realistic"]), behaviour])),
        clock: optional(
          anyOf([string({ format: "date-time" }), integer({ minimum: 0 })], {
            description: "the clock stands at this instant: ISO or ms",
          }),
        ),
        seed: optional(anyOf([integer(), string()])),
        token: optional(string({ minLength: 1, description: "a token of the fixture: what `request` uses" })),
        thread: optional(idSchema("what steps mean that name no thread")),
        within: optional({
          ...durationSchema,
          description: "how long an expectation waits in real time, unless it says so itself; default 2s",
        }),
        params: optional(
          record(anyOf([string(), number(), boolean(), { type: "null" } as Schema]), {
            description: "defaults, changed with --param name=value; read with ${param:name}",
          }),
        ),
        steps: array(unknown()),
      },
      { title: "messaging-sim scenario" },
    );
  }

  /** The long form of a kind of step. */
  longOf({ key, long }: StepKind): Schema {
    if (key === "fault") return this.#parts.fault ?? long;
    if (key === "behaviour") return this.#parts.behaviour ?? long;
    return long;
  }

  /** The JSON Schema of a whole scenario, for editors and `messaging-sim schema scenario`. */
  schema(): unknown {
    const top = this.top as { properties: Record<string, Schema> };
    const steps = { type: "array", items: { $ref: "#/$defs/step" } };
    const kinds = STEPS.map((kind) => this.#stepSchema(kind));
    return published({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...top,
      properties: { ...(orPlaceholder({ properties: top.properties }) as typeof top).properties, steps },
      $defs: { step: { type: "object", anyOf: kinds } },
    });
  }

  #stepSchema(kind: StepKind): unknown {
    const { key, words, short, beside = {} } = kind;
    const long = this.longOf(kind);
    const inner =
      key === "repeat"
        ? {
            ...long,
            properties: {
              ...(long.properties as object),
              steps: { type: "array", items: { $ref: "#/$defs/step" } },
            },
          }
        : long;
    const value =
      short === undefined ? inner : { anyOf: [{ ...short.schema, description: short.words }, inner] };
    return {
      title: key,
      type: "object",
      properties: orPlaceholder({
        properties: { [key]: { ...(value as object), description: words }, ...STEP_KEYS, ...beside },
      }).properties,
      required: [key],
      additionalProperties: false,
    };
  }

  /** What is wrong with a value; `name` tells the schemas apart. */
  check(name: string, schema: () => Schema, value: unknown, base: Path): Problem[] {
    let validate = this.#validators.get(name);
    if (validate === undefined) this.#validators.set(name, (validate = this.#ajv.compile(schema())));
    return validate(value) ? [] : schemaProblems(validate.errors, value, base);
  }
}

type Node = { readonly [keyword: string]: unknown };

/** The schema with a placeholder allowed wherever something else than text must stand. */
function orPlaceholder(schema: Node): Node & { properties: Record<string, Schema> } {
  return inside(schema) as never;
}

function inside(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inside);
  if (typeof node !== "object" || node === null) return node;
  const schema = node as Node;
  const properties = schema.properties as Record<string, Node> | undefined;
  const copy: Node = {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, value]) => [key, inside(value)]),
          ),
        }),
    ...(schema.anyOf === undefined ? {} : { anyOf: inside(schema.anyOf) }),
    ...(schema.items === undefined ? {} : { items: inside(schema.items) }),
  };
  const isPlain =
    schema.type === "string" &&
    schema.enum === undefined &&
    schema.format === undefined &&
    schema.pattern === undefined;
  const isLeaf = typeof schema.type === "string" && !["object", "array"].includes(schema.type) && !isPlain;
  const { description, ...rest } = copy;
  return isLeaf
    ? { anyOf: [rest, PLACEHOLDER], ...(description === undefined ? {} : { description }) }
    : copy;
}

/** Every number, text, list and table that a caller may send has a bound, or a reason not to need one. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/control/routes/index.js";
import type { Schema } from "../../src/kernel/schema.js";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { SERVE_OPTIONS } from "../../src/server/config/options.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { behaviourSchema } from "../../src/service/behaviour/table.js";
import { fixtureSchema } from "../../src/service/world/records.js";

type Kind = "number" | "text" | "list" | "table";

/** Values without a bound of their own, with the reason. */
const UNBOUNDED: readonly (readonly [kinds: string, at: RegExp, why: string])[] = [
  ["number text", /\bseed$/, "is only where chance begins"],
  ["number", /(step transfer|\bthread|\buser|\bto|\bby|set\.id|state\.id|customerThreadId)$/, "is an id"],
  ["number", /contentLength$/, "is told of an attachment, whose bytes nobody has"],
  ["number", /(step log|scenario\.params)/, "is only printed"],
  ["number", /(clock|setClock\.now)$/, "is refused beyond the year 9999, with an ISO text alike"],
  [
    "number text",
    /(advance|\bwait|within|silent|\bfor|\bby|lifetime|window\.duration|backoff\[\]|rate\.per)$/,
    "is a length of time: nothing is counted through, and real time has its bounds with waits and runs",
  ],
  ["text list table", /^(fixture|scenario|step)\b/, "is as long as its document, and read once"],
  ["text table", /\?/, "is part of a target, which has 16 KiB"],
  ["text list", /^--/, "is given by who starts the program"],
  [
    "text table",
    /^(?!(?:addFault|wait|verify|behaviour|fixture|step|scenario)\b)\w+\./,
    "is as long as the body of its call, and read once",
  ],
  ["table", /^(putState|insertRecord|replaceRecord|patchRecord|patchBehaviour)$/, "is checked key by key"],
];

const BOUNDS: Readonly<Record<Kind, readonly string[]>> = {
  number: ["maximum"],
  text: ["maxLength", "format"],
  list: ["maxItems"],
  table: ["maxProperties"],
};

function* kindsOf({ type, additionalProperties }: Schema): Iterable<Kind> {
  const types = [type].flat();
  if (types.includes("integer") || types.includes("number")) yield "number";
  if (types.includes("string")) yield "text";
  if (types.includes("array")) yield "list";
  if (types.includes("object") && additionalProperties !== false) yield "table";
}

/** A pattern that ends with a count says how long a text is at most. */
const isCounted = (pattern: string | undefined): boolean => /\{\d+,\d+\}\)?\??\$$/.test(pattern ?? "");

/** The places in a schema whose values have no bound: `number step repeat.times`. */
function* unbounded(schema: Schema | boolean | undefined, at: string): Iterable<string> {
  if (typeof schema !== "object") return;
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], propertyNames } = schema;
  const isClosed = schema.enum !== undefined || schema.const !== undefined;
  for (const kind of isClosed ? [] : kindsOf(schema)) {
    const isBounded =
      BOUNDS[kind].some((keyword) => keyword in schema) ||
      (kind === "text" && isCounted(schema.pattern)) ||
      (kind === "table" && propertyNames?.enum !== undefined);
    if (!isBounded) yield `${kind} ${at}`;
  }
  for (const [key, inner] of Object.entries(properties)) yield* unbounded(inner, `${at}.${key}`);
  yield* unbounded(items, `${at}[]`);
  yield* unbounded(additionalProperties, `${at}.*`);
  for (const branch of [...anyOf, ...oneOf]) yield* unbounded(branch, at);
}

const { steps: _, ...scenario } = scenarioFormat().schema().properties ?? {};
const SOURCES: readonly (readonly [string, Schema | undefined])[] = [
  ...ROUTES.map(({ id, body }) => [id, body] as const),
  ...ROUTES.map(({ id, query }) => [`${id}?`, query] as const),
  ...STEPS.flatMap(({ key, long, short, beside = {} }) => [
    [`step ${key}`, long] as const,
    [`step ${key}`, short?.schema] as const,
    ...Object.entries(beside).map(([name, schema]) => [`step ${key} beside ${name}`, schema] as const),
  ]),
  ...Object.entries(SERVE_OPTIONS).map(([name, { schema }]) => [`--${name}`, schema as Schema] as const),
  ["scenario", { properties: scenario }],
  ["behaviour", behaviourSchema],
  ["fixture", fixtureSchema],
];
const FOUND = new Set(SOURCES.flatMap(([name, schema]) => [...unbounded(schema, name)]));

const isExcused = (found: string): boolean => {
  const [kind = "", ...at] = found.split(" ");
  return UNBOUNDED.some(([kinds, places]) => kinds.split(" ").includes(kind) && places.test(at.join(" ")));
};

describe("what a caller may send", () => {
  it("has a bound, or a reason not to need one", () => {
    expect([...FOUND].filter((found) => !isExcused(found))).toEqual([]);
  });

  it.each(UNBOUNDED)("needs none as %s at %s: it %s", (kinds, at) => {
    const isMet = (kind: string) =>
      [...FOUND].some((found) => found.startsWith(`${kind} `) && at.test(found.slice(kind.length + 1)));
    expect(kinds.split(" ").some(isMet)).toBe(true);
  });

  it("is found in every form of a schema", () => {
    const schema: Schema = {
      type: "object",
      properties: {
        a: { anyOf: [{ type: ["integer", "null"] }] },
        b: { type: "array", items: { type: "string" } },
      },
      additionalProperties: { type: "number", maximum: 1 },
    };
    expect([...unbounded(schema, "x")]).toEqual(["table x", "number x.a", "list x.b", "text x.b[]"]);
  });
});

/** The schemas of files, as an integrator's editor or validator reads them; every shipped file matches its own. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PRINTABLE } from "../../src/cli/schema.js";
import type { Schema } from "../../src/kernel/schema.js";
import { integratorsAjv, ownKeywordsIn } from "./checks.js";

const KINDS = ["fixtures", "scenario", "behaviour", "config"] as const;
type Kind = (typeof KINDS)[number];
const schemas = Object.fromEntries(
  await Promise.all(KINDS.map(async (kind) => [kind, (await PRINTABLE[kind]()) as Schema] as const)),
) as Record<Kind, Schema>;
const validators = Object.fromEntries(KINDS.map((kind) => [kind, integratorsAjv().compile(schemas[kind])]));

/** The problems of a value, each with its place. */
function problemsOf(kind: Kind, value: unknown): string[] {
  const validate = validators[kind]!;
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const read = (file: string): unknown => parse(readFileSync(file, "utf8"));
const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((file) => ending.test(file) && !file.includes("node_modules"));
// Recipes also have files of other tools.
const examples = filesIn("examples", /\.ya?ml$/).filter((file) =>
  Object.hasOwn(read(file) as object, "steps"),
);
const FILES: readonly (readonly [kind: Kind, file: string])[] = [
  ...filesIn("fixtures", /\.json$/).map((file) => ["fixtures", file] as const),
  ...[...filesIn("scenarios", /\.ya?ml$/), ...examples].map((file) => ["scenario", file] as const),
];

const FIXTURE = read("fixtures/default.json") as Record<string, Record<string, unknown>[]>;
/** The default fixture with fields of the first record of a collection changed. */
const changed = (collection: string, fields: object) => {
  const [first, ...others] = FIXTURE[collection] ?? [];
  return { ...FIXTURE, [collection]: [{ ...first, ...fields }, ...others] };
};
const scenario = (...steps: object[]) => ({ name: "planted", steps });

it("plain ajv with ajv-formats finds every kind of file", () => {
  expect(new Set(FILES.map(([kind]) => kind))).toEqual(new Set(["fixtures", "scenario"]));
  expect(FILES.length).toBeGreaterThan(20);
});

it.each(FILES)("plain ajv with ajv-formats accepts the %s %s", (kind, file) => {
  expect(problemsOf(kind, read(file))).toEqual([]);
});

it.each<[kind: Kind, what: string, value: unknown]>([
  ["behaviour", "durations", { "window.duration": "24h", "delivery.backoff": ["1m", 500] }],
  ["behaviour", "a rate", { "limits.rate": { requests: 10, per: "1.5m" } }],
  ["config", "options", { port: 4021, behaviour: "realistic" }],
  ["scenario", "a duration and one to come", scenario({ advance: "2d" }, { advance: "${param:by}" })],
  ["fixtures", "a sink and a receiver", changed("webhooks", { url: "HTTPS://bot.example/hook" })],
])("plain ajv with ajv-formats accepts a %s with %s", (kind, _, value) => {
  expect(problemsOf(kind, value)).toEqual([]);
});

it.each<[kind: Kind, what: string, value: unknown, place: string]>([
  ["fixtures", "no E.164", changed("customers", { phoneNumber: "0155" }), "/customers/0/phoneNumber"],
  ["fixtures", "an address that is none", changed("users", { email: "ana" }), "/users/0/email"],
  ["fixtures", "a webhook of another scheme", changed("webhooks", { url: "ftp://a" }), "/webhooks/0/url"],
  ["fixtures", "an unknown field", changed("threads", { chanel: "SMS" }), "/threads/0"],
  ["behaviour", "an ISO duration", { "window.duration": "PT24H" }, "/window.duration"],
  ["behaviour", "a duration without unit", { "delivery.backoff": ["60"] }, "/delivery.backoff/0"],
  ["behaviour", "an unknown key", { "window.length": "24h" }, ""],
  ["scenario", "an ISO duration", scenario({ advance: "PT24H" }), "/steps/0/advance"],
  ["scenario", "an unknown step", scenario({ sned: {} }), "/steps/0"],
  ["scenario", "no steps", { name: "planted" }, ""],
  ["config", "a port that is none", { port: 70_000 }, "/port"],
])("plain ajv with ajv-formats refuses a %s with %s", (kind, _, value, place) => {
  const problems = problemsOf(kind, value);
  expect(problems.some((problem) => problem.startsWith(`${place} `))).toBe(true);
});

it.each(KINDS)("plain ajv with ajv-formats knows each keyword of the schema of a %s", (kind) => {
  const { $schema, ...schema } = schemas[kind];
  expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(ownKeywordsIn(schema)).toEqual([]);
});

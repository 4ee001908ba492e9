/** Random calls of an API, generated from its description: some are valid, some are not. */
import fc from "fast-check";
import type { Schema } from "../../src/kernel/schema.js";
import { resolved } from "./checks.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface DrawnCall {
  readonly method: string;
  /** With its parameters filled in, and the query. */
  readonly target: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly init: RequestInit;
  readonly described: Described;
}

/** Values of the default fixture, by the name of the field or parameter. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  customerThreadId: ["9001", "9002", "9003", "9004", "9101", "404"],
  customerId: ["cust_001", "cust_003", "cust_101", "nobody"],
  businessId: ["1001", "1002", "1003", "2001", "404"],
  userId: ["501", "502", "601", "404"],
  employeeUserId: ["501", "502"],
  contentSid: ["HX00000000000000000000000000000001", "HXnone"],
  webHookId: ["1", "2", "crm", "none"],
  hookId: ["1", "crm", "none", ["1"], ["none"]],
  email: ["chloe@acme.example", "ana@acme.example", "nobody@acme.example", "ida@customer.example"],
  text: ["Hello"],
  collection: ["threads", "customers", "webhooks", "messages", "nothing"],
  id: ["9001", "9002", "cust_001", "1", "d1", "f1", "nobody"],
  name: ["one", "two", "demo"],
  sandbox: ["default", "side", "nobody"],
  url: ["https://bot.example/hook", "http://127.0.0.1:9/", "sink:demo"],
  since: ["r1", "d1", "k1", "c1"],
  _embed: ["customer", "messages", "nothing"],
  now: ["2026-01-01T09:00:00Z", 1_700_000_000_000, "noon"],
  // Calls must not take real time.
  delayMs: [0],
  timeoutMs: [1],
};

const NOISE = fc.constantFrom<unknown>(null, 7, "", "x", true, [], {}, { x: 1 });

/** The operations of a description, without streams, which never end. */
export const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    path.endsWith("/stream")
      ? []
      : Object.entries(methods).map(([method, described]) => ({
          path,
          method: method.toUpperCase(),
          described,
        })),
  );

/** Calls of a description's operations, the same for the same seed. */
export function callsOf(
  document: Description,
  { seed, count, tokens }: { seed: number; count: number; tokens: readonly (string | undefined)[] },
): DrawnCall[] {
  const operations = operationsOf(document);
  const turns = Math.ceil(count / operations.length);
  const drawn = operations.map(({ path, method, described }, index) => {
    const { parameters, requestBody } = described;
    const [content] = Object.values(requestBody?.content ?? {});
    const call = fc
      .record({
        given: fc.tuple(...parameters.map((parameter) => parameterOf(document, parameter))),
        token: fc.constantFrom(...tokens),
        body: content === undefined ? fc.constant(undefined) : bodyOf(document, content.schema),
      })
      .map(({ given, token, body }): DrawnCall => {
        const valuesIn = (place: string): Record<string, string> =>
          Object.fromEntries(
            parameters.flatMap(({ name, in: where }, at) =>
              where === place && given[at] !== undefined ? [[name, String(given[at])]] : [],
            ),
          );
        const [query, inPath] = [valuesIn("query"), valuesIn("path")];
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name] ?? ""));
        const search = new URLSearchParams(query).toString();
        const headers = { "content-type": "application/json", ...(token && { token }) };
        const sent = body !== undefined && method !== "GET" && { body: JSON.stringify(body) };
        const target = filled + (search && `?${search}`);
        return { method, target, query, body, init: { method, headers, ...sent }, described };
      });
    return fc.sample(call, { seed: seed + index, numRuns: turns });
  });
  // Operations take turns, so that none is left out by chance.
  const inTurns = Array.from({ length: turns }, (_, turn) => drawn.flatMap((calls) => calls[turn] ?? []));
  return inTurns.flat().slice(0, count);
}

const weighted = (...choices: [weight: number, arbitrary: fc.Arbitrary<unknown>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

function parameterOf(document: Description, { name, in: where, required, schema }: Parameter) {
  // An empty segment, or one of dots only, would change the path.
  const text = drawnFor(document, schema, name).map((value) => (/^\.*$/.test(String(value)) ? "x" : value));
  if (where === "path") return text;
  const none = fc.constant(undefined);
  return required ? weighted([9, text], [1, none]) : weighted([1, text], [4, none]);
}

/** A valid body, or one with an extra, missing or wrong field, or none. */
function bodyOf(document: Description, schema: Schema): fc.Arbitrary<unknown> {
  const right = drawnFor(document, schema);
  const wrong = fc.tuple(right, fc.nat(), NOISE).map(([body, at, noise]) => {
    if (typeof body !== "object" || body === null) return noise;
    const keys = Object.keys(body);
    const key = keys[at % Math.max(keys.length, 1)];
    if (key === undefined || at % 3 === 0) return { ...body, unheardOf: noise };
    const { [key]: _, ...rest } = body as Record<string, unknown>;
    return at % 3 === 1 ? rest : { ...rest, [key]: noise };
  });
  return weighted([6, right], [3, wrong], [1, fc.constantFrom(undefined, null, [], "text")]);
}

/** A value that fits a schema of the document; `name`: that of its field or parameter. */
function drawnFor(document: Description, schema: Schema, name = ""): fc.Arbitrary<unknown> {
  const drawn = drawnFrom(document, schema, name);
  const known = KNOWN[name];
  return known === undefined ? drawn : weighted([4, fc.constantFrom(...known)], [1, drawn]);
}

function drawnFrom(document: Description, schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { $ref, enum: values, const: value, anyOf, oneOf: branches = anyOf, ...rest } = schema;
  const of = (part: Schema) => drawnFor(document, part, name);
  if ($ref !== undefined) return of(resolved(document, $ref) as Schema);
  if (values !== undefined) return fc.constantFrom(...values);
  if (value !== undefined) return fc.constant(value);
  if (branches !== undefined)
    return fc.oneof(...branches.map((branch) => of(joined(rest, branch, branches))));
  return fc.oneof(...[schema.type ?? "anything"].flat().map((type) => ofType(document, type, schema)));
}

/** A schema merged with one of its branches, without the properties that only other branches require. */
function joined(schema: Schema, { required, ...branch }: Schema, branches: readonly Schema[]): Schema {
  if (schema.properties === undefined || required === undefined)
    return { ...branch, ...(required && { required }) };
  const others = branches.flatMap((other) => other.required ?? []).filter((key) => !required.includes(key));
  const properties = Object.entries(schema.properties).filter(([key]) => !others.includes(key));
  const all = [...(schema.required ?? []), ...required];
  return { ...schema, properties: Object.fromEntries(properties), required: all };
}

function ofType(document: Description, type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { pattern, format, minimum = 0, maximum = 9, minLength = 0, minItems = 0, items = {} } = schema;
  if (type === "string") {
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, 60));
    if (format === "email") return fc.constantFrom("ida@customer.example", "a@shop.co.uk");
    return fc.string({ unit: "grapheme", minLength, maxLength: minLength + 12 });
  }
  if (type === "integer" || type === "number")
    return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 500) });
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "array")
    return fc.array(drawnFor(document, items), { minLength: minItems, maxLength: minItems + 2 });
  if (type !== "object") return NOISE;
  const { properties = {}, required = [] } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, drawnFor(document, property, key)]),
  );
  return fc.record(fields, { requiredKeys: required as never[], noNullPrototype: true });
}

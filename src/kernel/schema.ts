import { MAX_DURATION_MS, milliseconds } from "./durations.js";
import { isObject } from "./json.js";
import { instantOf, isInRange } from "./realtime.js";

/**
 * JSON Schema written once, with its TypeScript type derived from it.
 *
 * Every builder returns a plain JSON Schema (2020-12) object, so the same value drives validation,
 * types, OpenAPI and the printed references. `T` is the type after defaults were filled in,
 * `I` the type that a caller may write.
 */
export interface Schema<out T = unknown, out I = T> extends Keywords {
  readonly "~type"?: { readonly out: T; readonly in: I };
}

/** The keywords that the program itself uses. Validators use others too; those that start with `x-` are our own. */
export interface Keywords {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
  /** The form of a value, as a phrase for people. */
  readonly "x-form"?: string;
  /** The collection that the value is an id of. */
  readonly "x-ref"?: string;
  readonly [keyword: string]: unknown;
}

export interface OptionalSchema<out T, out I, out Mark extends "absent" | "default"> extends Schema<T, I> {
  /** Only in the type. */
  readonly "~optional": Mark;
}

/** The type of the value after validation. */
export type Infer<S> = S extends Schema<infer T, unknown> ? T : never;
/** The type that a caller may write: properties with a default are optional. */
export type InferInput<S> = S extends Schema<unknown, infer I> ? I : never;

export type InferReadonly<S> = DeepReadonly<Infer<S>>;

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type Properties = Record<string, Schema>;
type Marked<P, M> = {
  [K in keyof P]: P[K] extends { readonly "~optional": M } ? K : never;
}[keyof P];
type Flat<T> = { [K in keyof T]: T[K] };

export type ObjectOut<P> = Flat<
  { [K in Exclude<keyof P, Marked<P, "absent">>]: Infer<P[K]> } & { [K in Marked<P, "absent">]?: Infer<P[K]> }
>;
export type ObjectIn<P> = Flat<
  { [K in Exclude<keyof P, Marked<P, "absent" | "default">>]: InferInput<P[K]> } & {
    [K in Marked<P, "absent" | "default">]?: InferInput<P[K]>;
  }
>;

const optionalSchemas = new WeakSet<object>();

const make = <T, I = T>(schema: Keywords): Schema<T, I> => schema as Schema<T, I>;

export const string = (keywords: Keywords = {}): Schema<string> => make({ type: "string", ...keywords });
export const number = (keywords: Keywords = {}): Schema<number> => make({ type: "number", ...keywords });
export const integer = (keywords: Keywords = {}): Schema<number> => make({ type: "integer", ...keywords });
export const boolean = (keywords: Keywords = {}): Schema<boolean> => make({ type: "boolean", ...keywords });
export const unknown = (keywords: Keywords = {}): Schema<unknown> => make({ ...keywords });
export const nothing = (keywords: Keywords = {}): Schema<null> => make({ type: "null", ...keywords });

export const literal = <const V extends string | number | boolean | null>(
  value: V,
  keywords: Keywords = {},
): Schema<V> => make({ const: value, ...keywords });

export const oneOf = <const V extends readonly string[]>(
  values: V,
  keywords: Keywords = {},
): Schema<V[number]> => make({ type: "string", enum: values, ...keywords });

export const array = <T, I>(items: Schema<T, I>, keywords: Keywords = {}): Schema<T[], I[]> =>
  make({ type: "array", items, ...keywords });

export const record = <T, I>(
  values: Schema<T, I>,
  keywords: Keywords = {},
): Schema<Record<string, T>, Record<string, I>> =>
  make({ type: "object", additionalProperties: values, ...keywords });

export const anyOf = <const S extends readonly Schema[]>(
  schemas: S,
  keywords: Keywords = {},
): Schema<Infer<S[number]>, InferInput<S[number]>> => make({ anyOf: schemas, ...keywords });

export const nullable = <T, I>(schema: Schema<T, I>, keywords: Keywords = {}): Schema<T | null, I | null> =>
  typeof schema.type === "string" && schema.enum === undefined
    ? make({ ...schema, type: [schema.type, "null"], ...keywords })
    : make({ anyOf: [schema, { type: "null" }], ...keywords });

export const optional = <T, I>(schema: Schema<T, I>): OptionalSchema<T, I, "absent"> => marked(schema);

export const partial = <P extends Properties>(
  properties: P,
): { [K in keyof P]: OptionalSchema<Infer<P[K]>, InferInput<P[K]>, "absent"> } =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, optional(schema)])) as never;

/** Marks an optional property with this default. */
export const withDefault = <T, I>(schema: Schema<T, I>, value: NoInfer<T>): OptionalSchema<T, I, "default"> =>
  marked({ ...schema, default: value });

function marked<T, I, Mark extends "absent" | "default">(schema: Schema<T, I>) {
  const copy = { ...schema };
  optionalSchemas.add(copy);
  return copy as OptionalSchema<T, I, Mark>;
}

/** An object with these properties, required unless marked otherwise. Unknown keys are refused unless `additionalProperties` says otherwise. */
export const object = <const P extends Properties>(
  properties: P,
  keywords: Keywords = {},
): Schema<ObjectOut<P>, ObjectIn<P>> => {
  const required = Object.entries(properties)
    .filter(([, schema]) => !optionalSchemas.has(schema))
    .map(([key]) => key);
  return make({
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...keywords,
  });
};

/** Keywords that contain schemas by name. */
const NAMED_PARTS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
/** Keywords that contain values, never schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "example", "examples", "required"]);

/** The parts of a document that are written once, by title, and referenced. */
export class Components {
  readonly schemas: Record<string, Schema> = {};

  /** @throws Error if two different schemas have the same title */
  reference(schema: Schema, title: string): Schema {
    const name = title
      .replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
      .replace(/./, (letter) => letter.toUpperCase());
    const part = plain(schema, this);
    this.schemas[name] ??= part;
    if (JSON.stringify(this.schemas[name]) !== JSON.stringify(part))
      throw new Error(`two schemas are titled ${title}`);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/**
 * A schema for any reader: without our own keywords, and with a pattern for each of our own formats. With `components`, each
 * part that has a title becomes a reference to them.
 */
export const published = (schema: Schema, components?: Components): Schema =>
  components === undefined || schema.title === undefined
    ? plain(schema, components)
    : components.reference(schema, schema.title);

function plain(schema: Schema, components: Components | undefined): Schema {
  const pattern = schema.format && patternOf(schema.format);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith("x-") && key !== "$schema")
      .map(([key, value]) =>
        key === "format" && pattern ? ["pattern", pattern] : [key, publishedPart(key, value, components)],
      ),
  );
}

/** The contents of a schema file: the schema for any reader, with its dialect. */
export const publishedFile = (schema: Schema): Schema => ({ $schema: schema.$schema, ...published(schema) });

function publishedPart(keyword: string, part: unknown, components: Components | undefined): unknown {
  if (VALUES.has(keyword)) return part;
  if (Array.isArray(part)) return part.map((item) => publishedPart("", item, components));
  if (!isObject(part)) return part;
  if (!NAMED_PARTS.has(keyword)) return published(part, components);
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, publishedPart("", value, components)]),
  );
}

/** A valid e-mail address, as the HTML standard defines it. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** The `email` pattern of schema-inspector 2.1.0: any text before the @, and a host of two parts. */
export const INSPECTOR_EMAIL = /^[^@]+@[^.]+\.[a-zA-Z]+$/;

/** JSON Schema patterns cannot be case-insensitive. */
const HTTP_URL = "[Hh][Tt][Tt][Pp][Ss]?://\\S+";

interface Format {
  readonly test: RegExp | ((value: string) => boolean);
  /** Its name in messages and on pages. */
  readonly words: string;
  /** An equivalent pattern, apart from bounds, for validators that do not know the format or define it differently. */
  readonly pattern?: string;
}

export const FORMATS: Readonly<Record<string, Format>> = {
  email: { test: EMAIL, words: "an e-mail address" },
  /** An e-mail address that is valid by either definition, and may therefore be stored. */
  "stored-email": {
    test: (value) => EMAIL.test(value) || INSPECTOR_EMAIL.test(value),
    words: "an e-mail address",
  },
  /** ITU-T E.164. */
  e164: {
    test: /^\+[1-9][0-9]{1,14}$/,
    words: "a phone number in international format (such as +15551234567)",
    pattern: "^\\+[1-9][0-9]{1,14}$",
  },
  url: { test: isHttpUrl, words: "an http or https URL", pattern: `^${HTTP_URL}$` },
  /** The name after `sink:` is one of the simulator's own sinks. */
  "webhook-url": {
    test: (value) => /^sink:[A-Za-z0-9_.-]+$/.test(value) || isHttpUrl(value),
    words: "an http or https URL or sink:NAME",
    pattern: `^(sink:[A-Za-z0-9_.-]+|${HTTP_URL})$`,
  },
  duration: {
    test: (value) => !/\s/.test(value) && milliseconds(value) <= MAX_DURATION_MS,
    words: 'a duration with its unit (such as "90s" or "24h", at most 365000d)',
    pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$",
  },
  /** An instant with its time, from 1970 to 9999. */
  "date-time": {
    test: (value) => value.includes("T") && isInRange(instantOf(value)),
    words: "a date and time in ISO form (such as 2026-01-01T09:00:00Z)",
  },
};

function isHttpUrl(value: string): boolean {
  // A host of dots only is invalid.
  return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value) && !/^\.*$/.test(new URL(value).hostname);
}

/** The pattern of one of our own formats, for any validator; undefined for a standard format. */
export const patternOf = (format: string): string | undefined => FORMATS[format]?.pattern;

import { isKeyOf } from "./keys.js";
import { instantOf, isInRange } from "./realtime.js";

/** A valid e-mail address, as the HTML standard defines it. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** The pattern `email` of schema-inspector 2.1.0: any text before the @, and a host of two parts. */
export const INSPECTOR_EMAIL = /^[^@]+@[^.]+\.[a-zA-Z]+$/;

/** JSON Schema's patterns have no flag for either case. */
const HTTP_URL = "[Hh][Tt][Tt][Pp][Ss]?://\\S+";

interface Format {
  readonly test: RegExp | ((value: string) => boolean);
  /** What it is, as a phrase for people. */
  readonly phrase: string;
  /** What stands in its place where others read a schema, who do not know it or know it as something else. */
  readonly pattern?: string;
}

/** The forms of text that schemas name. */
const TABLE: Readonly<Record<string, Format>> = {
  email: { test: EMAIL, phrase: "an e-mail address" },
  /** An e-mail address that one of the two calls valid: what may be stored, whoever took it. */
  "stored-email": {
    test: (value) => EMAIL.test(value) || INSPECTOR_EMAIL.test(value),
    phrase: "an e-mail address",
  },
  /** A phone number in international format, ITU-T E.164. */
  e164: {
    ...pattern("^\\+[1-9][0-9]{1,14}$"),
    phrase: "a phone number in international format (such as +15551234567)",
  },
  /** Any http or https address. */
  url: { test: isHttpUrl, phrase: "an http or https URL", pattern: `^${HTTP_URL}$` },
  /** An http(s) address, or the name of one of the simulator's own sinks. */
  "webhook-url": {
    test: (value) => /^sink:[A-Za-z0-9_.-]+$/.test(value) || isHttpUrl(value),
    phrase: "an http or https URL or sink:NAME",
    pattern: `^(sink:[A-Za-z0-9_.-]+|${HTTP_URL})$`,
  },
  /** A length of time: 90s, 24h, 500ms. */
  duration: {
    ...pattern("^\\d+(\\.\\d+)?(ms|s|m|h|d)$"),
    phrase: 'a duration (such as "90s" or "24h")',
  },
  /** An instant with its time, from 1970 to 9999. */
  "date-time": {
    test: (value) => value.includes("T") && isInRange(instantOf(value)),
    phrase: "a date and time in ISO form",
  },
};

/** The test of each format, over the string. */
export const FORMATS: Readonly<Record<string, Format["test"]>> = Object.fromEntries(
  Object.entries(TABLE).map(([name, { test }]) => [name, test]),
);

/** The pattern that says to every validator what one of our own formats means; undefined for a standard one. */
export const patternOf = (format: string): string | undefined =>
  isKeyOf(TABLE, format) ? TABLE[format]?.pattern : undefined;

export const describeFormat = (format: string): string => TABLE[format]?.phrase ?? `in the form ${format}`;

function pattern(source: string): Pick<Format, "test" | "pattern"> {
  return { test: new RegExp(source), pattern: source };
}

function isHttpUrl(value: string): boolean {
  // A host of dots alone is none.
  return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value) && !/^\.*$/.test(new URL(value).hostname);
}

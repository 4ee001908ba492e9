import { isKeyOf } from "./keys.js";
import { instantOf, isInRange } from "./realtime.js";

/** A valid e-mail address, as the HTML standard defines it. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** The pattern `email` of schema-inspector 2.1.0: any text before the @, and a host of two parts. */
export const INSPECTOR_EMAIL = /^[^@]+@[^.]+\.[a-zA-Z]+$/;

/** The forms of text that schemas name; each is a plain test over the string. */
export const FORMATS: Readonly<Record<string, RegExp | ((value: string) => boolean)>> = {
  email: EMAIL,
  /** An e-mail address that one of the two calls valid: what may be stored, whoever took it. */
  "stored-email": (value) => EMAIL.test(value) || INSPECTOR_EMAIL.test(value),
  /** A phone number in international format, ITU-T E.164. */
  e164: /^\+[1-9][0-9]{1,14}$/,
  /** Any http or https address. */
  url: (value) => isHttpUrl(value),
  /** An http(s) address, or the name of one of the simulator's own sinks. */
  "webhook-url": (value) => /^sink:[A-Za-z0-9_.-]+$/.test(value) || isHttpUrl(value),
  /** A length of time: 90s, 24h, 500ms. */
  duration: /^(\d+(\.\d+)?)(ms|s|m|h|d)$/,
  /** An instant with its time, from 1970 to 9999. */
  "date-time": (value) => value.includes("T") && isInRange(instantOf(value)),
};

function isHttpUrl(value: string): boolean {
  // A host of dots alone is none.
  return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value) && !/^\.*$/.test(new URL(value).hostname);
}

/** JSON Schema's patterns have no flag for either case. */
const HTTP_URL = "[Hh][Tt][Tt][Pp][Ss]?://\\S+";

/** What stands, where others read a schema, for a format that they do not know, or know as something else. */
const PATTERNS = {
  e164: "^\\+[1-9][0-9]{1,14}$",
  url: `^${HTTP_URL}$`,
  "webhook-url": `^(sink:[A-Za-z0-9_.-]+|${HTTP_URL})$`,
  duration: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$",
} as const;

/** The pattern that says to every validator what one of our own formats means; undefined for a standard one. */
export const patternOf = (format: string): string | undefined =>
  isKeyOf(PATTERNS, format) ? PATTERNS[format] : undefined;

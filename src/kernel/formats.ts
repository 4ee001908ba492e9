import { instantOf, isInRange } from "./realtime.js";

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
  /** An equivalent pattern for validators that do not know the format or define it differently. */
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
    test: /^(\d+(\.\d+)?)(ms|s|m|h|d)$/,
    words: 'a duration (such as "90s" or "24h")',
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

import type { Ajv2020 } from "ajv/dist/2020.js";
import { loadPackage } from "./load.js";

/** Formats of the simulated API and of fixtures; each is a plain test over the string. */
export const FORMATS: Readonly<Record<string, RegExp | ((value: string) => boolean)>> = {
  /** A valid e-mail address, as the HTML standard defines it. */
  email:
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/,
  /** A phone number in international format, ITU-T E.164. */
  e164: /^\+[1-9][0-9]{1,14}$/,
  /** Any http or https address. */
  url: (value) => isHttpUrl(value),
  /** An http(s) address, or the name of one of the simulator's own sinks. */
  "webhook-url": (value) => /^sink:[A-Za-z0-9_.-]+$/.test(value) || isHttpUrl(value),
  /** A length of time: 90s, 24h, 500ms. */
  duration: /^(\d+(\.\d+)?)(ms|s|m|h|d)$/,
  "date-time": (value) => /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(globalThis.Date.parse(value)),
};

function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value);
}

/** Keywords that are ours: they carry meaning for other readers of a schema and none for ajv. */
const OWN_KEYWORDS = ["x-ref", "x-id", "x-dialect", "x-form", "x-https", "x-null", "example"];

/**
 * The one way to make a JSON Schema validator: every error of a value at once, our formats known.
 * `defaults` fills in the `default` of absent properties, in place.
 */
export function createAjv({ defaults = false } = {}): Ajv2020 {
  // Ajv takes a good part of the start-up and most starts never need it.
  const { Ajv2020: Ajv } = loadPackage<typeof import("ajv/dist/2020.js")>("ajv/dist/2020.js");
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    useDefaults: defaults,
    strict: true,
    validateSchema: false,
    // Branches such as anyOf: [{ required: ["text"] }, …] name properties that their parent declares.
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajv.addVocabulary(OWN_KEYWORDS);
  for (const [name, test] of Object.entries(FORMATS)) ajv.addFormat(name, test);
  return ajv;
}

import type { Ajv2020 } from "ajv/dist/2020.js";
import { FORMATS } from "./formats.js";
import { loadPackage } from "./load.js";

/** Keywords that are ours: they carry meaning for other readers of a schema and none for ajv. */
const OWN_KEYWORDS = ["x-ref", "x-id", "x-form", "x-https", "example"];

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
  for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test);
  return ajv;
}

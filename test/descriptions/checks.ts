/** Checks of descriptions, OpenAPI or AsyncAPI. */
import { Ajv2020, type Options } from "ajv/dist/2020.js";
import formats from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;

/** Every part of a document with its place, such as `#/paths/~1state/get`, itself included. */
export function* partsOf(value: unknown, place = "#"): Generator<{ place: string; value: unknown }> {
  yield { place, value };
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* partsOf(part, `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

/** The places of keywords that only this project knows. */
export const ownKeywordsIn = (document: unknown): string[] =>
  [...partsOf(document)]
    .map(({ place }) => place)
    .filter((place) => /(?<!\/properties)\/(x-[^/]*|~optional|~type|\$schema)$/.test(place));

/** The part that a reference points to; undefined for a dangling one. */
export function resolved(document: unknown, reference: string): unknown {
  let part: unknown = document;
  for (const key of reference.replace(/^#\//, "").split("/"))
    part = (part as Json | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return part;
}

export const danglingIn = (document: unknown): string[] =>
  [...partsOf(document)].flatMap(({ place, value }) => {
    const { $ref } = Object(value) as Json;
    return typeof $ref === "string" && resolved(document, $ref) === undefined ? [place] : [];
  });

/** Ajv as an integrator would set it up: with ajv-formats only. */
export function integratorsAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, ...options });
  // The package's types name its default export's own default.
  (formats as unknown as typeof formats.default)(ajv);
  return ajv;
}

/** Validates values against schemas of one document, whose references are looked up in it. */
export function validatorFor(document: object): (schema: unknown, value: unknown) => string | undefined {
  const ajv = integratorsAjv({ strict: false });
  ajv.addSchema({ ...document, $id: "document:all" } as object);
  return (schema, value) => {
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document:all#/'));
    const validate = ajv.compile(rooted);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

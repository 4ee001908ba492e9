/** What is checked of every description, OpenAPI or AsyncAPI. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { FORMATS } from "../../src/kernel/ajv.js";

type Json = Readonly<Record<string, unknown>>;

/** A part of a description with its place, such as `paths./state.get`. */
export interface Part {
  readonly place: string;
  readonly value: unknown;
}

/** Every part of a document, itself included. */
export function* partsOf(value: unknown, place = "#"): Generator<Part> {
  yield { place, value };
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* partsOf(part, `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

/** The places of keywords that only this project reads. */
export const ownKeywordsIn = (document: unknown): string[] =>
  [...partsOf(document)]
    .map(({ place }) => place)
    .filter((place) => /\/(x-[^/]*|~optional|~type|\$schema)$/.test(place));

/** The part that a reference of the document leads to; undefined for a dangling one. */
export function resolved(document: unknown, reference: string): unknown {
  let part: unknown = document;
  for (const key of reference.replace(/^#\//, "").split("/"))
    part = (part as Json | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return part;
}

export const danglingIn = (document: unknown): string[] =>
  [...partsOf(document)]
    .filter(({ value }) => typeof (value as Json | null)?.$ref === "string")
    .filter(({ value }) => resolved(document, (value as { $ref: string }).$ref) === undefined)
    .map(({ place }) => place);

/** Validates values against schemas of one document, whose references are looked up in it. */
export function validatorFor(document: object): (schema: unknown, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: true });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
  ajv.addSchema({ ...document, $id: "document:all" } as object);
  return (schema, value) => {
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document:all#/'));
    const validate = ajv.compile(rooted);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

import type { ValidateFunction } from "ajv";
import { BOUNDS } from "../../kernel/bounds.js";
import { parseDocument } from "../../kernel/document.js";
import { isObject } from "../../kernel/json.js";
import { fromKeys } from "../../kernel/objects.js";
import { lazily } from "../../kernel/packages.js";
import { keyProblemAt, type Problem, problemAt, problemsOfFirst, under } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { createAjv, schemaProblems } from "../../kernel/schema-problems.js";
import { sizeText } from "../../kernel/units.js";
import { kindOf, unknownKey } from "../../kernel/words.js";
import { complete, type FixtureRecord } from "./defaults.js";
import type { CollectionName, FixtureDocument, FixtureInput, Records } from "./records.js";
import { COLLECTIONS, isCollectionName, RECORD_SCHEMAS, STORED_SCHEMAS } from "./records.js";
import type { RawRecord, RecordSource } from "./rules.js";
import { duplicates, positionsOf, referenceProblems } from "./rules.js";
import { stateOf, type WorldState } from "./state.js";

/** A loaded fixture, or all of its problems; never a part of it. */
type LoadedFixture =
  | { readonly document: FixtureDocument; readonly problems?: undefined }
  | { readonly problems: Problem[]; readonly document?: undefined };

/** Loads fixtures. Its validators are compiled on first use and kept. */
export class FixtureLoader {
  readonly #ajv = lazily(() => createAjv());
  #ofStored: FixtureLoader | undefined;

  constructor(private readonly schemas: Readonly<Record<CollectionName, Schema>> = RECORD_SCHEMAS) {}

  /** The loader for everything that the simulated API may have accepted, whatever its behaviour was. */
  get ofStored(): FixtureLoader {
    this.#ofStored ??= new FixtureLoader(STORED_SCHEMAS);
    return this.#ofStored;
  }

  /** Validates a fixture and copies it, with all defaults filled in. Problems have paths such as `threads[0].status`. */
  loadFixture(input: unknown): LoadedFixture {
    if (!isObject(input)) return { problems: [problemAt([], `must be an object, but is ${kindOf(input)}`)] };
    const problems = problemsOfFirst(this.#problemsIn(input), (problem) => [problem]);
    return problems.length > 0 ? { problems } : { document: this.loadTrusted(input) };
  }

  /** Yields all problems, for as long as anybody asks for more. */
  *#problemsIn(input: Readonly<Record<string, unknown>>): Generator<Problem> {
    for (const key of Object.keys(input)) {
      // This part of a data folder's document does not belong to the fixture.
      if (key === "simulator") continue;
      if (key === "$schema") {
        if (typeof input[key] !== "string")
          yield problemAt([key], `must be a string, but is ${kindOf(input[key])}`);
      } else if (!isCollectionName(key)) {
        const free = COLLECTIONS.filter((collection) => !Object.hasOwn(input, collection));
        yield keyProblemAt([key], unknownKey("collection", key, free, COLLECTIONS));
      }
    }
    const lists = {} as Record<CollectionName, readonly unknown[]>;
    for (const collection of COLLECTIONS) {
      const { [collection]: given = [] } = input;
      if (!Array.isArray(given)) yield problemAt([collection], `must be an array, but is ${kindOf(given)}`);
      lists[collection] = Array.isArray(given) ? given : [];
      yield* this.#problemsOf(collection, lists[collection]);
    }
    yield* worldProblems(lists);
  }

  /** The state that a fixture describes, or all of its problems. */
  loadState(
    input: unknown,
  ): { state: WorldState; problems?: undefined } | { problems: Problem[]; state?: undefined } {
    const { document, problems } = this.loadFixture(input);
    return problems ? { problems } : { state: stateOf(document) };
  }

  /** Copies a valid fixture, with all defaults filled in, without validating it. */
  loadTrusted(input: FixtureInput): FixtureDocument {
    return fromKeys(COLLECTIONS, (collection) =>
      (input[collection] ?? []).map((record) => complete(collection, record)),
    ) as FixtureDocument;
  }

  /** Reads the text of a fixture file; problems have file, line and column, in text order. */
  async readFixtureText(text: string, file: string): Promise<LoadedFixture> {
    const [bytes, { limit }] = [Buffer.byteLength(text), BOUNDS.fixtureBytes];
    if (bytes > limit)
      return {
        problems: [{ file, path: "", message: `has ${sizeText(bytes)}, of at most ${sizeText(limit)}` }],
      };
    const parsed = await parseDocument(text, { file });
    if (parsed.problems) return { problems: parsed.problems };
    const loaded = this.loadFixture(parsed.value);
    return loaded.problems ? { problems: parsed.locate(loaded.problems) } : loaded;
  }

  /** Validates one record by its schema only and copies it, with defaults filled in. Paths start at the record. */
  validateRecord<C extends CollectionName>(
    collection: C,
    value: unknown,
  ): { record: Records[C]; problems?: undefined } | { problems: Problem[]; record?: undefined } {
    const validate = this.#validatorOf(collection);
    if (!validate(value)) return { problems: schemaProblems(validate.errors, value) };
    return { record: complete(collection, value as FixtureRecord<C>) };
  }

  *#problemsOf(collection: CollectionName, records: readonly unknown[]): Generator<Problem> {
    const validate = this.#validatorOf(collection);
    for (const [index, record] of records.entries())
      if (!validate(record)) yield* schemaProblems(validate.errors, record, [collection, index]);
  }

  /** Ajv keeps what it has compiled. */
  #validatorOf(collection: CollectionName): ValidateFunction {
    return this.#ajv().compile(this.schemas[collection]);
  }
}

/** Problems between records: references, and ids and names that there are twice. */
function* worldProblems(lists: Readonly<Record<CollectionName, readonly unknown[]>>): Generator<Problem> {
  const ids = fromKeys(COLLECTIONS, (collection) => positionsOf(lists[collection]));
  const source: RecordSource = {
    get: (collection, id) => lists[collection][ids[collection].get(id) ?? -1] as RawRecord | undefined,
  };
  for (const collection of COLLECTIONS) {
    const records = lists[collection];
    for (let index = 0; index < records.length; index += 1) {
      const record = records[index];
      if (!isObject(record)) continue;
      for (const problem of referenceProblems(collection, record, source))
        yield under([collection, index], problem);
    }
    yield* duplicates(collection, records, ids[collection]);
  }
}

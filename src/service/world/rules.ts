import { isObject, type Path } from "../../kernel/json.js";
import { fromKeys, getOrInsert } from "../../kernel/objects.js";
import { type Problem, problemAt } from "../../kernel/problems.js";
import { preview } from "../../kernel/words.js";
import { type IndexName, keyOf } from "./indexes.js";
import { COLLECTIONS, type CollectionName, RECORD_SCHEMAS } from "./records.js";

/** A field by which records of one collection reference records of another. */
interface RecordReference {
  readonly collection: CollectionName;
  readonly field: string;
  readonly many: boolean;
  readonly target: CollectionName;
}

const referencesIn = (collection: CollectionName): RecordReference[] =>
  Object.entries(RECORD_SCHEMAS[collection].properties ?? {}).flatMap(([field, schema]) => {
    const many = schema.items?.["x-ref"] !== undefined;
    const target = many ? schema.items?.["x-ref"] : schema["x-ref"];
    return target === undefined ? [] : [{ collection, field, many, target: target as CollectionName }];
  });

/** All references of each collection, in field order: the fields that the schemas mark with `x-ref`. */
export const REFERENCES: Readonly<Record<CollectionName, readonly RecordReference[]>> = fromKeys(
  COLLECTIONS,
  referencesIn,
);

export const ALL_REFERENCES = Object.values(REFERENCES).flat();

/** The reference that assigns a record to an organization: `organizationId`, otherwise its first. */
const OWNERS = fromKeys(COLLECTIONS, (collection) => REFERENCES[collection].find(({ many }) => !many));

/** A record with unvalidated fields. */
export type RawRecord = { readonly [field: string]: unknown };

/** A record's id. A number counts as its text: the schema reports it, so the rules need not. */
function idOf(record: RawRecord): string | undefined {
  const id = Object.hasOwn(record, "id") ? record.id : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

type Positions = ReadonlyMap<string, number>;

export function positionsOf(records: readonly unknown[]): Positions {
  const positions = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const id = isObject(record) ? idOf(record) : undefined;
    if (id !== undefined && !positions.has(id)) positions.set(id, index);
  }
  return positions;
}

export interface RecordSource {
  get(collection: CollectionName, id: string): object | undefined;
}

function textOf(record: RawRecord, field: string): string | undefined {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The organization of a record, directly or through the records that it references, if it exists. */
export function organizationOf(
  collection: CollectionName,
  record: RawRecord,
  source: RecordSource,
): string | undefined {
  if (collection === "organizations") return textOf(record, "id");
  const owner = OWNERS[collection];
  const id = owner && textOf(record, owner.field);
  const found = owner && id !== undefined ? source.get(owner.target, id) : undefined;
  return owner && found && organizationOf(owner.target, found as RawRecord, source);
}

/** Checks that everything a record references exists, in its own organization. A wrong type is left to the schema. */
export function referenceProblems(
  collection: CollectionName,
  record: RawRecord,
  source: RecordSource,
): Problem[] {
  // Fixtures have hundreds of thousands of records: a list for each takes as long as all the rest.
  const problems: Problem[] = [];
  for (const reference of REFERENCES[collection]) {
    const { field, many } = reference;
    const value = record[field];
    if (!many) check(reference, value, [field]);
    else if (Array.isArray(value))
      for (const [index, id] of value.entries()) check(reference, id, [field, index]);
  }
  return problems;

  function check(reference: RecordReference, id: unknown, path: Path): void {
    const message = faultOf(reference, id, record, source);
    if (message !== undefined) problems.push(problemAt(path, message));
  }
}

function faultOf(
  reference: RecordReference,
  id: unknown,
  record: RawRecord,
  source: RecordSource,
): string | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  const { collection, target } = reference;
  const named = source.get(target, id);
  if (named === undefined) return `names ${preview(id)}, which is not among the ${target}`;
  if (reference === OWNERS[collection]) return undefined;
  const own = organizationOf(collection, record, source);
  const other = organizationOf(target, named as RawRecord, source);
  if (own === undefined || other === undefined || own === other) return undefined;
  return `names ${preview(id)} of organization ${other}, but belongs to organization ${own}`;
}

/** A value that must be unique within a collection of an organization. */
interface UniqueRule {
  readonly description: string;
  /** The fields that may hold it: the first one that a record has counts. */
  readonly fields: readonly string[];
  readonly anyCase?: boolean;
  readonly index: IndexName;
}

const UNIQUE_RULES: { readonly [C in CollectionName]?: UniqueRule } = {
  users: { description: "e-mail address", fields: ["email"], anyCase: true, index: "usersByEmail" },
  webhooks: { description: "hookId", fields: ["hookId", "id"], index: "webhooksByHookId" },
};

/** The unique value of a record, with its rule and its key in the index; undefined without a value or an organization. */
export function uniqueValueOf(collection: CollectionName, record: RawRecord) {
  const rule = UNIQUE_RULES[collection];
  const organizationId = textOf(record, "organizationId");
  const field = rule?.fields.find((name) => textOf(record, name) !== undefined);
  if (rule === undefined || organizationId === undefined || field === undefined) return undefined;
  const value = textOf(record, field) as string;
  const key = keyOf(organizationId, rule.anyCase ? value.toLowerCase() : value);
  return { ...rule, field, organizationId, value, key };
}

export function* duplicates(
  collection: CollectionName,
  records: readonly unknown[],
  idsOf: Positions,
): Generator<Problem> {
  if (UNIQUE_RULES[collection] === undefined && idsOf.size === records.length) return;
  const holders = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    if (!isObject(record)) continue;
    const id = idOf(record);
    const first = id === undefined ? index : idsOf.get(id);
    if (first !== index) {
      const message = `is already the id of ${collection}[${first}]: ${preview(record.id)}`;
      yield problemAt([collection, index, "id"], message);
    }
    const unique = uniqueValueOf(collection, record);
    if (unique === undefined || (unique.field === "id" && first !== index)) continue;
    const { description, field, organizationId, value, key } = unique;
    const holder = getOrInsert(holders, key, () => index);
    if (holder === index) continue;
    const message = `is already the ${description} of ${collection}[${holder}] in organization ${organizationId}: ${preview(value)}`;
    yield problemAt([collection, index, field], message);
  }
}

/**
 * Persistent collections: a vector and a hash map whose old versions stay readable while new ones are created.
 *
 * Every node remembers the owner that created it. A writer passes its own owner: nodes of the same owner are changed in place,
 * others are copied on the way down. So a holder that hands out its current version and takes a new owner has made a snapshot
 * for free; only what is written afterwards is copied, 32 slots at a time.
 */
export type Owner = object;

const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/** A chunk on the lowest level holds values, any other chunk holds further chunks. */
interface Chunk<V> {
  owner: Owner;
  chunks: Chunk<V>[];
  values: (V | undefined)[];
}

/** A list with stable positions. Deleting leaves a hole (`undefined`), so positions never move. */
export interface Vector<V> {
  owner: Owner;
  length: number;
  shift: number;
  root: Chunk<V> | undefined;
}

export const emptyVector = <V>(owner: Owner): Vector<V> => ({ owner, length: 0, shift: 0, root: undefined });

/** The shared empty chunk. Nothing is ever written to it. */
const NONE: never[] = [];

/** A vector of many values, built at once. */
export function vectorOf<V>(owner: Owner, values: readonly V[]): Vector<V> {
  let chunks = groups(values).map((values): Chunk<V> => ({ owner, chunks: NONE, values }));
  let shift = 0;
  for (; chunks.length > 1; shift += BITS)
    chunks = groups(chunks).map((chunks): Chunk<V> => ({ owner, chunks, values: NONE }));
  return { owner, length: values.length, shift, root: chunks[0] };
}

const groups = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / WIDTH) }, (_, at) =>
    items.slice(at * WIDTH, (at + 1) * WIDTH),
  );

function ownChunk<V>(chunk: Chunk<V> | undefined, owner: Owner, isBottom: boolean): Chunk<V> {
  if (chunk?.owner === owner) return chunk;
  return isBottom
    ? { owner, chunks: NONE, values: chunk?.values.slice() ?? [] }
    : { owner, chunks: chunk?.chunks.slice() ?? [], values: NONE };
}

function chunkAt<V>({ root, shift: top }: Vector<V>, index: number): Chunk<V> | undefined {
  let chunk = root;
  for (let shift = top; shift > 0; shift -= BITS) chunk = chunk?.chunks[(index >>> shift) & MASK];
  return chunk;
}

export const vectorAt = <V>(vector: Vector<V>, index: number): V | undefined =>
  index < vector.length ? chunkAt(vector, index)?.values[index & MASK] : undefined;

/** Sets `value` at `index` (at most one past the end) and returns the new version. */
export function vectorSet<V>(
  vector: Vector<V>,
  owner: Owner,
  index: number,
  value: V | undefined,
): Vector<V> {
  const own = vector.owner === owner ? vector : { ...vector, owner };
  while (index >= WIDTH << own.shift) {
    own.root = { owner, chunks: own.root === undefined ? [] : [own.root], values: NONE };
    own.shift += BITS;
  }
  own.root = ownChunk(own.root, owner, own.shift === 0);
  let chunk = own.root;
  for (let shift = own.shift; shift > 0; shift -= BITS) {
    const at = (index >>> shift) & MASK;
    chunk = chunk.chunks[at] = ownChunk(chunk.chunks[at], owner, shift === BITS);
  }
  chunk.values[index & MASK] = value;
  if (index >= own.length) own.length = index + 1;
  return own;
}

/** The values in order, from position `from` on, without holes. */
export function* vectorValues<V>(vector: Vector<V>, from = 0): Generator<V> {
  for (let index = from; index < vector.length; ) {
    const values = chunkAt(vector, index)?.values;
    const end = Math.min(vector.length, (index | MASK) + 1);
    for (; index < end; index += 1) {
      const value = values?.[index & MASK];
      if (value !== undefined) yield value;
    }
  }
}

/** Values by their keys, for reading only. */
export type Lookup<V> = Pick<ReadonlyMap<string, V>, "get" | "has" | "size">;

/** A key that was set since the base, or removed: then its value is undefined. */
interface Change<V> {
  readonly key: string;
  readonly value: V | undefined;
}

/** A map from strings: an immutable plain map, and on top of it the changes since, in buckets by the hashes of their keys. */
export interface HashMap<V> {
  owner: Owner;
  size: number;
  readonly base: Lookup<V>;
  changes: number;
  buckets: Vector<readonly Change<V>[]>;
}

/** A map with the entries of a plain one, which is kept and must not change. */
export const mapOver = <V>(owner: Owner, base: Lookup<V>): HashMap<V> => ({
  owner,
  size: base.size,
  base,
  changes: 0,
  buckets: emptyVector(owner),
});

export const emptyMap = <V>(owner: Owner): HashMap<V> => mapOver(owner, new Map());

/** With more changes to a bucket than this, there will be 32 times as many buckets. */
const MOST_IN_BUCKET = 4;

const bucketsIn = ({ shift }: Vector<unknown>): number => WIDTH << shift;

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

const slotOf = (buckets: Vector<unknown>, key: string): number => hashOf(key) & (bucketsIn(buckets) - 1);

export function mapGet<V>({ changes, buckets, base }: HashMap<V>, key: string): V | undefined {
  const bucket = changes === 0 ? undefined : vectorAt(buckets, slotOf(buckets, key));
  const change = bucket?.find((other) => other.key === key);
  return change === undefined ? base.get(key) : change.value;
}

/** Sets a value under a key and returns the new version. */
export const mapSet = <V>(map: HashMap<V>, owner: Owner, key: string, value: V): HashMap<V> =>
  put(map, owner, { key, value }, mapGet(map, key) === undefined ? 1 : 0);

/** Removes a key and returns the new version. */
export const mapDelete = <V>(map: HashMap<V>, owner: Owner, key: string): HashMap<V> =>
  mapGet(map, key) === undefined ? map : put(map, owner, { key, value: undefined }, -1);

function put<V>(map: HashMap<V>, owner: Owner, change: Change<V>, growth: number): HashMap<V> {
  const own = map.owner === owner ? map : { ...map, owner };
  if (own.changes > MOST_IN_BUCKET * bucketsIn(own.buckets))
    own.buckets = withMoreBuckets(own.buckets, owner);
  const slot = slotOf(own.buckets, change.key);
  const before = vectorAt(own.buckets, slot) ?? [];
  const bucket = before.filter(({ key }) => key !== change.key);
  if (change.value !== undefined || own.base.has(change.key)) bucket.push(change);
  own.buckets = vectorSet(own.buckets, owner, slot, bucket);
  own.changes += bucket.length - before.length;
  own.size += growth;
  return own;
}

function withMoreBuckets<V>(few: HashMap<V>["buckets"], owner: Owner): HashMap<V>["buckets"] {
  let buckets: HashMap<V>["buckets"] = { ...emptyVector(owner), shift: few.shift + BITS };
  for (const change of [...vectorValues(few)].flat()) {
    const slot = slotOf(buckets, change.key);
    buckets = vectorSet(buckets, owner, slot, [...(vectorAt(buckets, slot) ?? []), change]);
  }
  return buckets;
}

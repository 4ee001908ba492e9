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

/** Sets `value` at `index` and returns the new version. Indices that are left out are holes. */
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

interface Leaf<V> {
  key: string;
  hash: number;
  /** Undefined if a key of the base was removed. */
  value: V | undefined;
  entries?: undefined;
}

/** A node holds at most 32 entries, packed; `bitmap` says which slots are used. Below the last bit of the hash, the entries are a plain list of leaves, and `bitmap` is unused. */
interface Node<V> {
  owner: Owner;
  key?: undefined;
  bitmap: number;
  entries: (Leaf<V> | Node<V>)[];
}

/** Values by their keys, for reading only. */
export type Lookup<V> = Pick<ReadonlyMap<string, V>, "get" | "has" | "size">;

/** A map from strings: an immutable plain map, and on top of it what was added and removed since. */
export interface HashMap<V> {
  owner: Owner;
  size: number;
  readonly base: Lookup<V>;
  root: Node<V>;
}

/** A map with the entries of a plain one, which is kept and must not change. */
export const mapOver = <V>(owner: Owner, base: Lookup<V>): HashMap<V> => ({
  owner,
  size: base.size,
  base,
  root: { owner, bitmap: 0, entries: [] },
});

const COLLISION = 35;

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

function countBits(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const bitOf = (hash: number, shift: number): number => 1 << ((hash >>> shift) & MASK);
/** The index of a slot's entry among the used ones. */
const positionOf = (bitmap: number, bit: number): number => countBits(bitmap & (bit - 1));

export function mapGet<V>({ root, base }: HashMap<V>, key: string): V | undefined {
  const leaf = root.bitmap === 0 ? undefined : findLeaf(root, key);
  return leaf === undefined ? base.get(key) : leaf.value;
}

function findLeaf<V>(root: Node<V>, key: string): Leaf<V> | undefined {
  const hash = hashOf(key);
  let node = root;
  for (let shift = 0; shift < COLLISION; shift += BITS) {
    const bit = bitOf(hash, shift);
    if ((node.bitmap & bit) === 0) return undefined;
    const entry = node.entries[positionOf(node.bitmap, bit)];
    if (entry?.entries === undefined) return entry?.key === key ? entry : undefined;
    node = entry;
  }
  return node.entries.find((entry): entry is Leaf<V> => entry.key === key);
}

const ownNode = <V>(node: Node<V>, owner: Owner): Node<V> =>
  node.owner === owner ? node : { owner, bitmap: node.bitmap, entries: node.entries.slice() };

/** Sets a value under a key and returns the new version. */
export const mapSet = <V>(map: HashMap<V>, owner: Owner, key: string, value: V): HashMap<V> =>
  put(map, owner, key, value);

function put<V>(map: HashMap<V>, owner: Owner, key: string, value: V | undefined): HashMap<V> {
  const own = map.owner === owner ? map : { ...map, owner };
  own.root = insert(own, ownNode(own.root, owner), owner, { key, hash: hashOf(key), value }, 0);
  return own;
}

/** Counts a key that is added, unless it existed: in the previous leaf if there is one, otherwise in the base. */
function count<V>(map: HashMap<V>, key: string, before: Leaf<V> | undefined): void {
  const isThere = before === undefined ? map.base.has(key) : before.value !== undefined;
  if (!isThere) map.size += 1;
}

function insert<V>(map: HashMap<V>, node: Node<V>, owner: Owner, leaf: Leaf<V>, shift: number): Node<V> {
  if (shift >= COLLISION) {
    const before = node.entries.find((other): other is Leaf<V> => other.key === leaf.key);
    count(map, leaf.key, before);
    node.entries = [...node.entries.filter((other) => other !== before), leaf];
    return node;
  }
  const bit = bitOf(leaf.hash, shift);
  const at = positionOf(node.bitmap, bit);
  const entry = (node.bitmap & bit) === 0 ? undefined : node.entries[at];
  if (entry === undefined) {
    node.bitmap |= bit;
    node.entries.splice(at, 0, leaf);
    count(map, leaf.key, undefined);
  } else if (entry.key === leaf.key) {
    count(map, leaf.key, entry);
    node.entries[at] = leaf;
  } else {
    const below = entry.entries === undefined ? nodeWith(entry, owner, shift + BITS) : ownNode(entry, owner);
    node.entries[at] = insert(map, below, owner, leaf, shift + BITS);
  }
  return node;
}

const nodeWith = <V>(leaf: Leaf<V>, owner: Owner, shift: number): Node<V> => ({
  owner,
  bitmap: bitOf(leaf.hash, shift),
  entries: [leaf],
});

/** Removes a key and returns the new version. */
export function mapDelete<V>(map: HashMap<V>, owner: Owner, key: string): HashMap<V> {
  if (mapGet(map, key) === undefined) return map;
  const isBase = map.base.has(key);
  const own = isBase ? put(map, owner, key, undefined) : map.owner === owner ? map : { ...map, owner };
  if (!isBase) own.root = remove(ownNode(own.root, owner), owner, key, hashOf(key), 0);
  own.size -= 1;
  return own;
}

function remove<V>(node: Node<V>, owner: Owner, key: string, hash: number, shift: number): Node<V> {
  if (shift >= COLLISION) {
    node.entries = node.entries.filter((entry) => entry.key !== key);
    return node;
  }
  const bit = bitOf(hash, shift);
  const at = positionOf(node.bitmap, bit);
  const entry = node.entries[at];
  const rest =
    entry?.entries === undefined ? undefined : remove(ownNode(entry, owner), owner, key, hash, shift + BITS);
  if (rest !== undefined && rest.entries.length > 0) {
    node.entries[at] = rest;
    return node;
  }
  node.bitmap &= ~bit;
  node.entries.splice(at, 1);
  return node;
}

/** An object type without undefined values: such fields are optional. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy of an object without the fields that are undefined.
 *
 * @example
 * ({ id, ...omitUndefined({ title, summary: undefined }) }); // { id, title }
 */
export function omitUndefined<T extends object>(fields: T): Given<T> {
  const some: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) some[key] = value;
  return some as Given<T>;
}

/** The keys of a table: an object that only has the keys of its type. */
export const keysOf = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table) as (keyof T & string)[];

export const fromKeys = <K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;

export const isKeyOf = <T extends object>(table: T, key: string): key is keyof T & string =>
  Object.hasOwn(table, key);

/** The value under a key of a map, which is created if there is none. */
export function getOrInsert<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}

/** How often each value occurs. */
export function countsOf<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The number in the id of a log entry, which is a letter and an increasing number; 0 without an id. */
export const numberOf = (id: string | null | undefined): number => Number(id?.slice(1) ?? 0);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

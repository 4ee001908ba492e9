/** The fields of an object that have a value: those that are undefined are left out. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy of an object without the fields that are undefined.
 *
 * @example
 * ({ id, ...given({ title, summary: undefined }) }); // { id, title }
 */
export function given<T extends object>(fields: T): Given<T> {
  const some: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) some[key] = value;
  return some as Given<T>;
}

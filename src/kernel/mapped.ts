/** What `map` makes of each item, made when it is read. */
export function* mapped<T, R>(items: Iterable<T>, map: (item: T) => R): Generator<R> {
  for (const item of items) yield map(item);
}

/** The items that fit, looked at when they are read. */
export function* filtered<T>(items: Iterable<T>, fits: (item: T) => boolean): Generator<T> {
  for (const item of items) if (fits(item)) yield item;
}

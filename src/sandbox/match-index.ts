import type { Literal } from "./literals.js";

/** The items whose literals stand at the same locations, by the values that they expect there. */
interface Shape<E, T> {
  readonly locations: readonly Literal<E>[];
  readonly byValues: Map<string, Set<T>>;
}

/**
 * Finds the items whose literals an entry has, without comparing it with the others. Items whose literals stand at
 * the same locations form a shape: an entry costs one look-up for each shape, however many items there are.
 */
export class MatchIndex<E, T> {
  readonly #shapes = new Map<string, Shape<E, T>>();

  /** Adds an item under each of its lists of literals. */
  add(alternatives: readonly (readonly Literal<E>[])[], item: T): void {
    for (const literals of alternatives) {
      const name = shapeName(literals);
      const shape = this.#shapes.get(name) ?? { locations: literals, byValues: new Map<string, Set<T>>() };
      this.#shapes.set(name, shape);
      const values = wanted(literals);
      const items = shape.byValues.get(values) ?? new Set();
      shape.byValues.set(values, items.add(item));
    }
  }

  remove(alternatives: readonly (readonly Literal<E>[])[], item: T): void {
    for (const literals of alternatives) {
      const name = shapeName(literals);
      const shape = this.#shapes.get(name);
      const values = wanted(literals);
      const items = shape?.byValues.get(values);
      if (shape === undefined || items?.delete(item) !== true || items.size > 0) continue;
      shape.byValues.delete(values);
      if (shape.byValues.size === 0) this.#shapes.delete(name);
    }
  }

  /** Calls `found` with the items that the entry has all plain values for. An item may come twice, and may be taken out meanwhile. */
  look(entry: E, found: (item: T) => void): void {
    for (const { locations, byValues } of this.#shapes.values()) {
      let seen = "";
      for (const { read } of locations) seen += keyOf(read(entry));
      const items = byValues.get(seen);
      if (items !== undefined) for (const item of items) found(item);
    }
  }
}

/** Two equal plain values have the same key; an object or array, which none is equal to, must not be turned into text. */
const keyOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? "{}\n" : `${String(value)}\n`;

const shapeName = (literals: readonly Literal<never>[]): string =>
  literals.map(({ location }) => location).join("\n\n");

const wanted = (literals: readonly Literal<never>[]): string => {
  let values = "";
  for (const { value } of literals) values += keyOf(value);
  return values;
};

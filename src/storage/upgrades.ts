/** The formats of base documents that there have been. */

/**
 * Documents of this format are written; a change that older readers would misread makes it one more, and so does another
 * default of a record's field: documents do not hold what a field has by default.
 */
export const FORMAT = 2;

/** Makes what is kept in one format what it is in the next. */
export interface Upgrade {
  /** Changes a base document in place; its `simulator.format` is changed already. */
  readonly base: (document: Record<string, unknown>) => void;
  /** A change of the log, as it is in the next format; left out: it is the same. */
  readonly change?: (change: readonly unknown[]) => readonly unknown[];
}

/** What documents of an older format need, by the format that they have. */
export const UPGRADES: ReadonlyMap<number, Upgrade> = new Map([
  [1, { base: ({ simulator }) => void Reflect.deleteProperty(simulator as object, "generation") }],
]);

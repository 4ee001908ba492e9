/** The keys of a table, whose type names all of them: `Object.keys` cannot know that there are no others. */
export const keysOf = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table) as (keyof T & string)[];

/** The parts of json-server that are used; the package has no types for them. */
declare module "json-server/lib/matches-where.js" {
  export function matchesWhere(item: object, where: object): boolean;
}
declare module "json-server/lib/where-operators.js" {
  export const WHERE_OPERATORS: readonly string[];
}
declare module "json-server/lib/paginate.js" {
  export function paginate<T>(
    items: readonly T[],
    page: number,
    perPage: number,
  ): { readonly data: readonly T[]; readonly items: number };
}

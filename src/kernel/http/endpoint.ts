/** What every endpoint declares, of the simulated API and of the control API. */
import { RouteTable } from "../routes.js";
import type { Infer, Schema } from "../schema.js";

/** `ANY` stands for all methods that no other endpoint of the path takes. */
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** One endpoint, declared once: routing, the types of its handler's call and its description come from it. */
export interface Endpoint {
  /** The operation id of its description, in camel case. */
  readonly id: string;
  readonly method: Method;
  /** A pattern with `:name` segments. */
  readonly path: string;
  readonly summary: string;
  readonly query?: Schema;
  readonly body?: Schema;
}

/** Method and path as they are declared: `POST /threads/:id/window`. */
export type MethodAndPath<M extends Method = Method> = `${M} /${string}`;

export function methodAndPath<M extends Method>(declared: MethodAndPath<M>): { method: M; path: string } {
  const space = declared.indexOf(" ");
  // MethodAndPath guarantees that a method stands before the space.
  return { method: declared.slice(0, space) as M, path: declared.slice(space + 1) };
}

/** The value of a part of the request; undefined where the endpoint declares none. */
export type ValueOf<S> = S extends Schema ? Infer<S> : undefined;

/** The names of the `:segments` of a path, each with its text. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

/** A table that finds endpoints by method and path. `pathsOf` names all paths of one; by default its own alone. */
export function routeTable<E extends Endpoint>(
  endpoints: readonly E[],
  pathsOf: (endpoint: E) => readonly string[] = ({ path }) => [path],
): RouteTable<E> {
  const table = new RouteTable<E>();
  for (const endpoint of endpoints)
    for (const path of pathsOf(endpoint)) table.add(endpoint.method, path, endpoint);
  return table;
}

/** What every endpoint of both APIs declares, and how a call is routed to it. */

import { decodedPart } from "../masking.js";
import type { Infer, Schema } from "../schema.js";

/** The route of a call, if there is one. */
export interface RouteHit<T> {
  readonly route: T | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The methods that the path takes, if it does not take the call's; empty for an unknown path. */
  readonly allowed: readonly string[];
}

/**
 * A table that finds endpoints by method and path. A GET route also takes HEAD. Trailing slashes are
 * ignored; of paths that overlap, the first counts.
 *
 * @param pathsOf all paths of an endpoint; by default, only its own
 */
export function routeTable<E extends Pick<Endpoint, "method" | "path">>(
  endpoints: readonly E[],
  pathsOf: (endpoint: E) => readonly string[] = ({ path }) => [path],
): { find(method: string, path: string): RouteHit<E> } {
  const entries = endpoints.flatMap((route) =>
    pathsOf(route).map((path) => ({ route, path, segments: segmentsOf(path) })),
  );
  // Most calls match a route without parameters.
  const literal = new Map<string, RouteHit<E>>();
  for (const { route, path } of entries)
    if (!path.includes(":")) literal.set(`${route.method} ${path}`, { route, params: {}, allowed: [] });

  const find = (method: string, path: string): RouteHit<E> => {
    const exact = literal.get(`${method} ${path}`);
    if (exact !== undefined) return exact;
    const segments = segmentsOf(path);
    const there = entries.filter((entry) => isAt(entry.segments, segments));
    const taking = (wanted: string) => there.find(({ route }) => route.method === wanted);
    const hit = taking(method) ?? (method === "HEAD" ? taking("GET") : undefined) ?? taking("ANY");
    if (hit !== undefined) return { route: hit.route, params: paramsOf(hit.segments, segments), allowed: [] };
    const allowed = there.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : route.method));
    return { route: undefined, params: {}, allowed: [...new Set(allowed)] };
  };
  return { find };
}

const isParameter = (segment: string): boolean => segment.startsWith(":");

const isAt = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((wanted, index) =>
    isParameter(wanted) ? segments[index] !== "" : wanted === segments[index],
  );

const paramsOf = (pattern: readonly string[], segments: readonly string[]): RouteHit<unknown>["params"] =>
  Object.fromEntries(
    pattern.flatMap((name, index) =>
      isParameter(name) ? [[name.slice(1), decodedPart(segments[index] ?? "")]] : [],
    ),
  );

const segmentsOf = (path: string): string[] => path.replace(/\/$/, "").split("/").slice(1);

/** `ANY` stands for all methods that no other endpoint of the path takes. */
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** One endpoint, declared once: routing, the type of its handler's call and its description derive from it. */
export interface Endpoint {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly query?: Schema;
  readonly body?: Schema;
}

/** Method and path as declared: `POST /threads/:id/window`. */
export type MethodAndPath<M extends Method = Method> = `${M} /${string}`;

export function methodAndPath<M extends Method>(declared: MethodAndPath<M>): { method: M; path: string } {
  const space = declared.indexOf(" ");
  // MethodAndPath guarantees a space after the method.
  return { method: declared.slice(0, space) as M, path: declared.slice(space + 1) };
}

export type ValueOf<S> = S extends Schema ? Infer<S> : undefined;

/** The `:parameters` of a path by name, each with its text. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

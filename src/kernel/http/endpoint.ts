/** What every endpoint of both APIs declares, and how a call is routed to it. */
import type { Infer, Schema } from "../schema.js";

export interface RouteHit<T> {
  readonly route: T;
  readonly params: Readonly<Record<string, string>>;
}

/** A path pattern: its segments, with `:` for each parameter, and its routes by method. */
interface Pattern<T> {
  readonly segments: readonly string[];
  readonly routes: Map<string, { readonly route: T; readonly names: readonly string[] }>;
}

interface OtherMethods {
  readonly allowed: readonly string[];
}

/** A table of routes. A GET route also takes HEAD, unless it says otherwise. Trailing slashes are ignored; a literal segment wins over a `:name`. */
export class RouteTable<T> {
  readonly #patterns: Pattern<T>[] = [];
  /** The patterns without parameters, by path, since most calls match one. */
  readonly #literal = new Map<string, Pattern<T>>();

  add(method: string, pattern: string, route: T): void {
    const declared = segmentsOf(pattern);
    const segments = declared.map((segment) => (segment.startsWith(":") ? ":" : segment));
    const names = declared.filter((segment) => segment.startsWith(":")).map((name) => name.slice(1));
    let known = this.#patterns.find((other) => other.segments.join("/") === segments.join("/"));
    if (known === undefined) {
      known = { segments, routes: new Map() };
      this.#patterns.push(known);
      this.#patterns.sort(literalFirst);
    }
    known.routes.set(method, { route, names });
    if (names.length === 0) this.#literal.set(pattern, known);
  }

  /** The route for a call; the allowed methods if the path exists without this method; undefined for an unknown path. */
  find(method: string, path: string): RouteHit<T> | OtherMethods | undefined {
    const exact = this.#literal.get(path)?.routes.get(method);
    if (exact !== undefined) return { route: exact.route, params: NO_PARAMS };
    const segments = segmentsOf(path);
    const allowed = new Set<string>();
    for (const { segments: wanted, routes } of this.#patterns) {
      if (!isAt(wanted, segments)) continue;
      const hit =
        routes.get(method) ?? (method === "HEAD" ? routes.get("GET") : undefined) ?? routes.get("ANY");
      if (hit !== undefined) {
        const values = segments.filter((_, index) => wanted[index] === ":");
        return { route: hit.route, params: paramsOf(hit.names, values) };
      }
      for (const other of routes.keys())
        for (const method of other === "GET" ? ["GET", "HEAD"] : [other]) allowed.add(method);
    }
    return allowed.size === 0 ? undefined : { allowed: [...allowed] };
  }
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

function literalFirst<T>({ segments: a }: Pattern<T>, { segments: b }: Pattern<T>): number {
  const at = a.findIndex((segment, index) => (segment === ":") !== (b[index] === ":"));
  return at < 0 ? 0 : a[at] === ":" ? 1 : -1;
}

const isAt = (pattern: readonly string[], segments: readonly string[]): boolean =>
  pattern.length === segments.length &&
  pattern.every((wanted, index) => (wanted === ":" ? segments[index] !== "" : wanted === segments[index]));

const paramsOf = (names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? "")]));

const segmentsOf = (path: string): string[] => {
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  return segments;
};

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

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

/** A table that finds endpoints by method and path. `pathsOf` lists all paths of an endpoint; by default, only its own. */
export function routeTable<E extends Endpoint>(
  endpoints: readonly E[],
  pathsOf: (endpoint: E) => readonly string[] = ({ path }) => [path],
): RouteTable<E> {
  const table = new RouteTable<E>();
  for (const endpoint of endpoints)
    for (const path of pathsOf(endpoint)) table.add(endpoint.method, path, endpoint);
  return table;
}

/** Path patterns with `:name` segments, found without trying one after the other. */
export interface RouteHit<T> {
  readonly route: T;
  readonly params: Readonly<Record<string, string>>;
}

interface Known<T> {
  readonly route: T;
  /** The names of the pattern's parameters, in order. */
  readonly names: readonly string[];
}

interface Branch<T> {
  readonly literal: Map<string, Branch<T>>;
  parameter: Branch<T> | undefined;
  readonly methods: Map<string, Known<T>>;
}

/** The methods of a path that leads somewhere, none of which was asked for. */
interface OtherMethods {
  readonly allowed: readonly string[];
}

const newBranch = <T>(): Branch<T> => ({ literal: new Map(), parameter: undefined, methods: new Map() });
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** A table of routes. What takes GET takes HEAD, unless it says otherwise. A trailing slash never matters; a literal segment goes before a `:name`. */
export class RouteTable<T> {
  readonly #root = newBranch<T>();
  /** The patterns without parameters, for finding them at once. */
  readonly #literal = new Map<string, Branch<T>>();

  /** Adds a route. `method` may be `ANY`. */
  add(method: string, pattern: string, route: T): void {
    let branch = this.#root;
    const names: string[] = [];
    for (const segment of segmentsOf(pattern)) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1));
        branch.parameter ??= newBranch();
        branch = branch.parameter;
      } else {
        const next = branch.literal.get(segment) ?? newBranch<T>();
        branch.literal.set(segment, next);
        branch = next;
      }
    }
    branch.methods.set(method, { route, names });
    if (names.length === 0) this.#literal.set(pattern, branch);
  }

  /** The route for a call; the methods that the path knows when it is not one of them; undefined for an unknown path. */
  find(method: string, path: string): RouteHit<T> | OtherMethods | undefined {
    const literal = this.#literal.get(path);
    const known = literal?.methods.get(method);
    if (known !== undefined) return { route: known.route, params: NO_PARAMS };
    const allowed = new Set<string>();
    const hit = search(this.#root, segmentsOf(path), 0, [], method, allowed);
    if (hit !== undefined) return hit;
    return allowed.size === 0 ? undefined : { allowed: [...allowed] };
  }
}

/** Tries the literal way first, then the one through a parameter; collects the methods of the ways that lead to an end. */
function search<T>(
  branch: Branch<T>,
  segments: readonly string[],
  depth: number,
  values: readonly string[],
  method: string,
  allowed: Set<string>,
): RouteHit<T> | undefined {
  const segment = segments[depth];
  if (segment === undefined) {
    const { methods } = branch;
    const known =
      methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined) ?? methods.get("ANY");
    if (known !== undefined) return { route: known.route, params: paramsOf(known.names, values) };
    for (const other of methods.keys()) {
      allowed.add(other);
      if (other === "GET") allowed.add("HEAD");
    }
    return undefined;
  }
  const next = branch.literal.get(segment);
  const hit = next && search(next, segments, depth + 1, values, method, allowed);
  if (hit !== undefined || branch.parameter === undefined || segment === "") return hit;
  return search(branch.parameter, segments, depth + 1, [...values, segment], method, allowed);
}

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

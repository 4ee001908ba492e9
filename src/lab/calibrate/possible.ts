/** What a recording leaves possible: each exchange has the worlds in which it could have happened, and what no world allows is ruled out. */

/** The integers from `least` to `most`; an infinite `most` stands for no limit. */
export class Span {
  constructor(
    readonly least: number,
    readonly most: number,
  ) {}

  meet({ least, most }: Span): Span | undefined {
    const met = new Span(Math.max(this.least, least), Math.min(this.most, most));
    return met.least <= met.most ? met : undefined;
  }
}
export const ANY_NUMBER = new Span(0, Number.POSITIVE_INFINITY);

/** What is known of a whole answer: `meet` is what agrees with both, undefined if nothing does. */
export interface Form {
  meet(other: Form): Form | undefined;
}

/** What a variable is in one world: a value of few, a span of numbers, or the form of an answer. */
type Given = ReadonlyMap<string, unknown>;
type Domain = ReadonlySet<unknown> | Span | Form;

const isForm = (value: unknown): value is Form => typeof (value as Form | null)?.meet === "function";

/** A way in which an exchange could have happened. */
export interface World<T = unknown> {
  readonly given: Given;
  readonly result: T;
}

/** No exchange has more worlds: of one with more, nothing is learned. */
const MAX_WORLDS = 2_000;

/** The choices of one world: of the values of entries, and of facts that the recording does not show. */
export class Choices {
  readonly given = new Map<string, unknown>();
  #next = 0;

  constructor(readonly script: { taken: number; of: number }[]) {}

  /** One of the values of a variable. */
  pick<const T>(name: string, values: readonly T[]): T {
    if (!this.given.has(name)) this.given.set(name, values[this.#choose(values.length)]);
    return this.given.get(name) as T;
  }

  /** Whether a number is at least `bound`. */
  atLeast(name: string, bound: number): boolean {
    const { least, most } = (this.given.get(name) ?? ANY_NUMBER) as Span;
    if (least >= bound || most < bound) return least >= bound;
    const isReached = this.#choose(2) === 0;
    this.given.set(name, isReached ? new Span(bound, most) : new Span(least, bound - 1));
    return isReached;
  }

  #choose(count: number): number {
    const choice = this.script[this.#next] ?? { taken: 0, of: count };
    this.script[this.#next] = choice;
    this.#next += 1;
    return choice.taken;
  }
}

/** Plays with every combination of choices; undefined if there are too many. */
export function worldsOf<T>(play: (choices: Choices) => T): World<T>[] | undefined {
  const worlds: World<T>[] = [];
  const script: { taken: number; of: number }[] = [];
  do {
    const choices = new Choices(script);
    const result = play(choices);
    worlds.push({ given: choices.given, result });
    if (worlds.length > MAX_WORLDS) return undefined;
    for (let last = script.at(-1); last !== undefined; last = script.at(-1)) {
      last.taken += 1;
      if (last.taken < last.of) break;
      script.pop();
    }
  } while (script.length > 0);
  return worlds;
}

function meet(domain: Domain | undefined, allowed: unknown): Domain | undefined {
  if (domain === undefined) return isForm(allowed) || allowed instanceof Span ? allowed : new Set([allowed]);
  if (domain instanceof Set) return domain.has(allowed) ? new Set([allowed]) : undefined;
  return (domain as Form).meet(allowed as Form);
}

/** What several worlds allow together; undefined for answers, of which only one form can be kept. */
function join(allowed: readonly unknown[]): Domain | undefined {
  const [first] = allowed;
  if (first instanceof Span) {
    const spans = allowed as readonly Span[];
    return new Span(Math.min(...spans.map(({ least }) => least)), Math.max(...spans.map(({ most }) => most)));
  }
  if (isForm(first)) return allowed.every((one) => one === first) ? first : undefined;
  return new Set(allowed);
}

function narrowed(domain: Domain | undefined, to: Domain): Domain | undefined {
  if (domain === undefined) return to;
  if (domain instanceof Set) {
    const left = [...domain].filter((value) => (to as ReadonlySet<unknown>).has(value));
    return left.length < domain.size ? new Set(left) : domain;
  }
  const met = (domain as Form).meet(to as Form);
  if (met instanceof Span && domain instanceof Span)
    return met.least === domain.least && met.most === domain.most ? domain : met;
  return met;
}

/** Domains and the worlds left of each exchange: a layer over another one, which it does not change. */
class State {
  readonly domains = new Map<string, Domain>();
  readonly worlds = new Map<number, readonly World[]>();

  constructor(readonly below?: State) {}

  domain = (name: string): Domain | undefined => this.domains.get(name) ?? this.below?.domain(name);
  left = (exchange: number): readonly World[] =>
    this.worlds.get(exchange) ?? this.below?.left(exchange) ?? [];

  /** Takes over a layer. */
  adopt({ domains, worlds }: State): void {
    for (const [name, domain] of domains) this.domains.set(name, domain);
    for (const [exchange, left] of worlds) this.worlds.set(exchange, left);
  }
}

/** An exchange that no world allows together with earlier ones, and the variables over which they disagree. */
export interface Dispute {
  readonly exchange: number;
  readonly names: readonly string[];
}

/** How many worlds are tried one by one. */
const MAX_TRIALS = 30_000;

export class Possibilities {
  #state = new State();
  readonly #all = new Map<number, readonly World[]>();
  readonly #about = new Map<string, number[]>();
  /** The exchanges that narrowed a variable. */
  #witnesses = new Map<string, Set<number>>();
  readonly disputes: Dispute[] = [];

  /** Adds the worlds of an exchange; later exchanges come later. */
  add(exchange: number, worlds: readonly World[]): void {
    this.#all.set(exchange, worlds);
    for (const name of new Set(worlds.flatMap(({ given }) => [...given.keys()]))) {
      const about = this.#about.get(name);
      if (about === undefined) this.#about.set(name, [exchange]);
      else about.push(exchange);
    }
    this.#admit(exchange, worlds);
  }

  #admit(exchange: number, worlds: readonly World[]): void {
    if (this.#narrow(worlds, exchange) !== undefined) this.#reject(exchange);
  }

  #reject(exchange: number): void {
    const worlds = this.#all.get(exchange) ?? [];
    const names = [...new Set(worlds.flatMap(({ given }) => [...given.keys()]))];
    const disputed = names.filter((name) =>
      worlds.some(
        ({ given }) => given.has(name) && meet(this.#state.domain(name), given.get(name)) === undefined,
      ),
    );
    this.disputes.push({ exchange, names: disputed.length > 0 ? disputed : names });
    this.#all.delete(exchange);
  }

  /** Keeps only these worlds of an exchange, with all that follows; returns an exchange that has none left then. */
  #narrow(worlds: readonly World[], exchange: number): number | undefined {
    const trial = new State(this.#state);
    const narrowings: [string, number][] = [];
    trial.worlds.set(exchange, worlds);
    const conflict = this.#follow(trial, exchange, narrowings);
    if (conflict !== undefined) return conflict;
    this.#state.adopt(trial);
    for (const [name, witness] of narrowings)
      this.#witnesses.set(name, (this.#witnesses.get(name) ?? new Set()).add(witness));
    return undefined;
  }

  #follow(state: State, start: number, narrowings?: [string, number][]): number | undefined {
    const queue = new Set([start]);
    for (const exchange of queue) {
      queue.delete(exchange);
      const before = state.left(exchange);
      const left = before.filter(({ given }) =>
        [...given].every(([name, allowed]) => meet(state.domain(name), allowed) !== undefined),
      );
      const [first] = left;
      if (first === undefined) return exchange;
      if (left.length < before.length) state.worlds.set(exchange, left);
      for (const name of first.given.keys()) {
        if (!left.every(({ given }) => given.has(name))) continue;
        const allowed = join(left.map(({ given }) => given.get(name)));
        const domain = state.domain(name);
        const next = allowed && narrowed(domain, allowed);
        if (next === undefined || next === domain) continue;
        state.domains.set(name, next);
        narrowings?.push([name, exchange]);
        for (const other of this.#about.get(name) ?? []) if (this.#all.has(other)) queue.add(other);
        queue.delete(exchange);
      }
    }
    return undefined;
  }

  /** Tries the worlds that are left one by one, and drops those that leave another exchange without any. */
  ruleOut(): void {
    let trials = 0;
    for (let isNarrower = true; isNarrower; ) {
      isNarrower = false;
      for (const exchange of this.#all.keys()) {
        const left = this.#state.left(exchange);
        if (left.length < 2) continue;
        const kept = left.filter((world) => {
          trials += 1;
          return trials > MAX_TRIALS || this.#isPossible(exchange, world);
        });
        if (kept.length === left.length) continue;
        isNarrower = true;
        if (kept.length > 0 && this.#narrow(kept, exchange) === undefined) continue;
        // The exchanges contradict each other: the last one that does is taken out.
        this.#reject(exchange);
        this.#state = new State();
        this.#witnesses = new Map();
        for (const [index, worlds] of [...this.#all]) this.#admit(index, worlds);
        break;
      }
    }
  }

  #isPossible(exchange: number, world: World): boolean {
    const trial = new State(this.#state);
    trial.worlds.set(exchange, [world]);
    return this.#follow(trial, exchange) === undefined;
  }

  /** The only value left of a variable; undefined if there are more. */
  valueOf(name: string): unknown {
    const domain = this.#state.domain(name);
    return domain instanceof Set && domain.size === 1 ? [...domain][0] : undefined;
  }

  domainOf = (name: string): Domain | undefined => this.#state.domain(name);
  worldsLeft = (exchange: number): readonly World[] => this.#state.left(exchange);
  witnessesOf = (name: string): number[] => [...(this.#witnesses.get(name) ?? [])].sort((a, b) => a - b);

  /** An exchange that rules out this value of a variable; undefined if none does. */
  objectionTo(name: string, value: unknown): number | undefined {
    const trial = new State(this.#state);
    const domain = meet(this.#state.domain(name), value);
    if (domain === undefined) return this.witnessesOf(name).at(-1);
    trial.domains.set(name, domain);
    for (const exchange of this.#about.get(name) ?? []) {
      if (!this.#all.has(exchange)) continue;
      const conflict = this.#follow(trial, exchange);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }
}

/** What exchanges leave possible: each has the worlds in which it could have happened, and what no world allows is ruled out. */

import { getOrInsert } from "../../kernel/objects.js";
import { valuesOf } from "../../service/behaviour/alternatives.js";
import { BEHAVIOUR_TABLE, type BehaviourKey, type BehaviourValues } from "../../service/behaviour/table.js";

/** What a variable may be. `meet` returns the same object if nothing is ruled out, and undefined if nothing is left. */
export interface Domain {
  meet(other: Domain): Domain | undefined;
  /** What either allows; undefined if that cannot be said. */
  join(other: Domain): Domain | undefined;
}

/** One of a few values. */
export class Values implements Domain {
  readonly all: ReadonlySet<unknown>;

  constructor(all: Iterable<unknown>) {
    this.all = new Set(all);
  }

  meet({ all }: Values): Values | undefined {
    const left = [...this.all].filter((value) => all.has(value));
    return left.length === this.all.size ? this : left.length === 0 ? undefined : new Values(left);
  }

  join = ({ all }: Values): Values => new Values([...this.all, ...all]);
}

/** The integers from `least` to `most`; an infinite `most` stands for no limit. */
export class Span implements Domain {
  constructor(
    readonly least: number,
    readonly most = least,
  ) {}

  meet({ least, most }: Span): Span | undefined {
    if (least <= this.least && most >= this.most) return this;
    const met = new Span(Math.max(this.least, least), Math.min(this.most, most));
    return met.least <= met.most ? met : undefined;
  }

  join = ({ least, most }: Span): Span => new Span(Math.min(this.least, least), Math.max(this.most, most));
}
const ANY_NUMBER = new Span(0, Number.POSITIVE_INFINITY);

/** One way in which an exchange could have happened: its variables, each with what it may be. */
type World = ReadonlyMap<string, Domain>;

/** A world, and what an exchange comes to in it. */
export interface Played<T> {
  readonly world: World;
  readonly result: T;
}

/** The choices of one world: of the values of entries, and of facts that the recording does not show. */
export class Choices {
  readonly world = new Map<string, Domain>();
  #next = 0;

  constructor(readonly script: { taken: number; of: number }[]) {}

  /** One of the values of a variable. */
  pick<const T>(name: string, values: readonly T[]): T {
    if (!this.world.has(name)) this.world.set(name, new Values([values[this.#choose(values.length)]]));
    return [...(this.world.get(name) as Values).all][0] as T;
  }

  /** One of the values of an entry that has few. */
  entry = <Key extends BehaviourKey>(key: Key): BehaviourValues[Key] =>
    this.pick(key, valuesOf(BEHAVIOUR_TABLE[key].schema) as BehaviourValues[Key][]);

  isTrue = (name: string): boolean => this.pick(name, [true, false]);

  /** Whether a number is at least `bound`. */
  atLeast(name: string, bound: number): boolean {
    const { least, most } = (this.world.get(name) ?? ANY_NUMBER) as Span;
    if (least >= bound || most < bound) return least >= bound;
    const isReached = this.#choose(2) === 0;
    this.world.set(name, isReached ? new Span(bound, most) : new Span(least, bound - 1));
    return isReached;
  }

  #choose(count: number): number {
    const choice = this.script[this.#next] ?? { taken: 0, of: count };
    this.script[this.#next] = choice;
    this.#next += 1;
    return choice.taken;
  }
}

/** No exchange has more worlds: of one with more, nothing is learned. */
const MAX_WORLDS = 2_000;

/** Plays with every combination of choices; undefined if there are too many. */
export function worldsOf<T>(play: (choices: Choices) => T): Played<T>[] | undefined {
  const worlds: Played<T>[] = [];
  const script: { taken: number; of: number }[] = [];
  do {
    const choices = new Choices(script);
    const result = play(choices);
    worlds.push({ world: choices.world, result });
    if (worlds.length > MAX_WORLDS) return undefined;
    for (let last = script.at(-1); last !== undefined; last = script.at(-1)) {
      last.taken += 1;
      if (last.taken < last.of) break;
      script.pop();
    }
  } while (script.length > 0);
  return worlds;
}

/** Domains and the worlds left of each exchange: a layer over another one, which it does not change. */
class State {
  readonly domains = new Map<string, Domain>();
  readonly worlds = new Map<number, readonly World[]>();

  constructor(readonly below?: State) {}

  domain = (name: string): Domain | undefined => this.domains.get(name) ?? this.below?.domain(name);
  left = (exchange: number): readonly World[] =>
    this.worlds.get(exchange) ?? this.below?.left(exchange) ?? [];

  allowsValue(name: string, value: Domain): boolean {
    const domain = this.domain(name);
    return domain === undefined || domain.meet(value) !== undefined;
  }

  allows = (world: World): boolean => [...world].every(([name, value]) => this.allowsValue(name, value));
}

/** An exchange that no world allows together with earlier ones, and the variables over which they disagree. */
interface Dispute {
  readonly exchange: number;
  readonly names: readonly string[];
}

/** How many worlds are looked at to rule some out, which limits the work for a long recording. */
const MAX_LOOKS = 300_000;

/** The worlds that the exchanges of a recording leave to each other. */
export class Possibilities {
  #state = new State();
  #witnesses = new Map<string, Set<number>>();
  readonly #all = new Map<number, readonly World[]>();
  readonly #about = new Map<string, number[]>();
  readonly disputes: Dispute[] = [];
  #looks = 0;

  /** Adds the worlds of an exchange; later exchanges come later. */
  add(exchange: number, worlds: readonly World[]): void {
    this.#all.set(exchange, worlds);
    for (const name of namesIn(worlds)) getOrInsert(this.#about, name, () => []).push(exchange);
    if (!this.#narrow(exchange, worlds)) this.#reject(exchange);
  }

  #reject(exchange: number): void {
    const worlds = this.#all.get(exchange) ?? [];
    const names = namesIn(worlds);
    const isRuledOut = (name: string, value?: Domain) => value && !this.#state.allowsValue(name, value);
    const disputed = names.filter((name) => worlds.some((world) => isRuledOut(name, world.get(name))));
    this.disputes.push({ exchange, names: disputed.length > 0 ? disputed : names });
    this.#all.delete(exchange);
  }

  /** Keeps only these worlds of an exchange, with all that follows; false if that leaves another one without any. */
  #narrow(exchange: number, worlds: readonly World[]): boolean {
    const trial = new State(this.#state);
    trial.worlds.set(exchange, worlds);
    const witnesses: [string, number][] = [];
    if (this.#follow(trial, exchange, witnesses) !== undefined) return false;
    for (const [name, domain] of trial.domains) this.#state.domains.set(name, domain);
    for (const [one, left] of trial.worlds) this.#state.worlds.set(one, left);
    for (const [name, one] of witnesses) getOrInsert(this.#witnesses, name, () => new Set()).add(one);
    return true;
  }

  /** Draws the consequences of what is left of an exchange; returns an exchange of which nothing is left then. */
  #follow(state: State, start: number, witnesses?: [string, number][]): number | undefined {
    const queue = new Set([start]);
    for (const exchange of queue) {
      queue.delete(exchange);
      const before = state.left(exchange);
      this.#looks += before.length;
      const left = before.filter(state.allows);
      if (left.length === 0) return exchange;
      if (left.length < before.length) state.worlds.set(exchange, left);
      for (const name of left[0]?.keys() ?? []) {
        const shown = shownBy(left, name);
        const domain = state.domain(name);
        const next = shown && (domain?.meet(shown) ?? (domain === undefined ? shown : undefined));
        if (next === undefined || next === domain) continue;
        state.domains.set(name, next);
        witnesses?.push([name, exchange]);
        for (const other of this.#about.get(name) ?? [])
          if (other !== exchange && this.#all.has(other)) queue.add(other);
      }
    }
    return undefined;
  }

  /** Tries the worlds that are left one by one, and drops those that leave another exchange without any. */
  ruleOut(): void {
    this.#looks = 0;
    const isPossible = (exchange: number, world: World): boolean => {
      const trial = new State(this.#state);
      trial.worlds.set(exchange, [world]);
      return this.#looks > MAX_LOOKS || this.#follow(trial, exchange) === undefined;
    };
    for (let isNarrower = true; isNarrower; ) {
      isNarrower = false;
      for (const exchange of this.#all.keys()) {
        const left = this.#state.left(exchange);
        const kept = left.length < 2 ? left : left.filter((world) => isPossible(exchange, world));
        if (kept.length === left.length) continue;
        isNarrower = true;
        if (kept.length > 0 && this.#narrow(exchange, kept)) continue;
        // The exchanges contradict each other: this one is taken out.
        this.#reject(exchange);
        this.#state = new State();
        this.#witnesses = new Map();
        for (const [one, worlds] of [...this.#all]) if (!this.#narrow(one, worlds)) this.#reject(one);
        break;
      }
    }
  }

  domainOf = (name: string): Domain | undefined => this.#state.domain(name);
  worldsLeft = (exchange: number): readonly World[] => this.#state.left(exchange);
  /** The exchanges that show something of a variable in each of their worlds. */
  exchangesAbout = (name: string): number[] =>
    (this.#about.get(name) ?? []).filter(
      (exchange) => this.#all.has(exchange) && shownBy(this.worldsLeft(exchange), name) !== undefined,
    );
  /** The exchanges that ruled something out. */
  witnessesOf = (name: string): number[] => [...(this.#witnesses.get(name) ?? [])];

  /** The only value left of a variable; undefined if there are more. */
  valueOf(name: string): unknown {
    const domain = this.domainOf(name);
    return domain instanceof Values && domain.all.size === 1 ? [...domain.all][0] : undefined;
  }

  /** An exchange that rules out a value of a variable; undefined if none does. */
  objectionTo(name: string, value: Domain): number | undefined {
    return this.#state.allowsValue(name, value) ? undefined : this.witnessesOf(name).at(-1);
  }
}

/** What worlds together allow of a variable; undefined if one of them says nothing of it. */
const shownBy = ([first, ...others]: readonly World[], name: string): Domain | undefined =>
  others.reduce<Domain | undefined>((all, world) => {
    const one = world.get(name);
    return one && all?.join(one);
  }, first?.get(name));

const namesIn = (worlds: readonly World[]): string[] => [
  ...new Set(worlds.flatMap((one) => [...one.keys()])),
];

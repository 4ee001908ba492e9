/** What exchanges leave possible: each has the worlds in which it could have happened, and what no world allows is ruled out. */

import { getOrInsert } from "../../kernel/objects.js";
import { valuesOf } from "../../service/behaviour/alternatives.js";
import {
  BEHAVIOUR_KEYS,
  BEHAVIOUR_TABLE,
  type BehaviourKey,
  type BehaviourValues,
} from "../../service/behaviour/table.js";

/** What a variable may be. `meet` returns the same object if nothing is ruled out, and undefined if nothing is left. */
export interface Domain {
  meet(other: Domain): Domain | undefined;
  /** What either allows; undefined if that cannot be said. */
  join(other: Domain): Domain | undefined;
}

/** One of a few values. */
export class Values implements Domain {
  constructor(readonly all: readonly unknown[]) {}

  meet({ all }: Values): Values | undefined {
    const left = this.all.filter((value) => all.includes(value));
    return left.length === this.all.length ? this : left.length === 0 ? undefined : new Values(left);
  }

  join({ all }: Values): Values {
    const more = all.filter((value) => !this.all.includes(value));
    return more.length === 0 ? this : new Values([...this.all, ...more]);
  }
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

  join({ least, most }: Span): Span {
    return new Span(Math.min(this.least, least), Math.max(this.most, most));
  }
}
const ANY_NUMBER = new Span(0, Number.POSITIVE_INFINITY);

type Part = readonly [name: string, domain: Domain];
/** One way in which an exchange could have happened: its variables, each with what it may be. Worlds share what they have in common. */
type World = readonly Part[];

const partsOf = (name: string, domains: readonly Domain[]): Part[] => domains.map((domain) => [name, domain]);
const partOf = (world: World, name: string): Domain | undefined => world.find(([one]) => one === name)?.[1];

/** A world, and what an exchange comes to in it. */
export interface Played<T> {
  readonly world: World;
  readonly result: T;
}

const only = (value: unknown): Values => new Values([value]);
const TRUE_OR_FALSE = [true, false].map(only);
/** The values of entries that have few. */
const ENTRIES = Object.fromEntries(
  BEHAVIOUR_KEYS.map((key) => [key, valuesOf(BEHAVIOUR_TABLE[key].schema)?.map(only) ?? []]),
);

/** The choices of one world after the other: of the values of entries, and of facts that the recording does not show. */
export class Choices {
  #world: Part[] = [];
  /** The choices of this world, each with the options that are left. */
  readonly #script: Part[][] = [];
  #next = 0;
  /** The options of each variable, which worlds share. */
  readonly #options = new Map<string, readonly Part[]>();
  /** What worlds with the same first choices begin with. */
  #begun: { readonly result: unknown; readonly world: World; readonly next: number } | undefined;

  /** Plays a beginning once for all worlds that have it. */
  begin<T>(play: () => T): T {
    this.#begun ??= { result: play(), world: [...this.#world], next: this.#next };
    this.#world = [...this.#begun.world];
    this.#next = this.#begun.next;
    return this.#begun.result as T;
  }

  /** One of the values of a variable. */
  pick = <const T>(name: string, values: readonly T[]): T => this.#one(name, values.map(only)) as T;

  /** One of the values of an entry that has few. */
  entry = <Key extends BehaviourKey>(key: Key): BehaviourValues[Key] =>
    this.#one(key, ENTRIES[key] ?? []) as BehaviourValues[Key];

  isTrue = (name: string): boolean => this.#one(name, TRUE_OR_FALSE) as boolean;

  #one(name: string, values: readonly Values[]): unknown {
    const options = getOrInsert(this.#options, name, () => partsOf(name, values));
    return ((partOf(this.#world, name) ?? this.#choose(options)) as Values).all[0];
  }

  /** Whether a number is at least `bound`. */
  atLeast(name: string, bound: number): boolean {
    const { least, most } = (partOf(this.#world, name) ?? ANY_NUMBER) as Span;
    if (least >= bound || most < bound) return least >= bound;
    const sides = [new Span(bound, most), new Span(least, bound - 1)];
    return (this.#choose(partsOf(name, sides)) as Span).least >= bound;
  }

  #choose(options: readonly Part[]): Domain {
    const [part] = (this.#script[this.#next] ??= [...options]) as [Part];
    this.#next += 1;
    const index = this.#world.findIndex(([name]) => name === part[0]);
    this.#world.splice(index < 0 ? this.#world.length : index, 1, part);
    return part[1];
  }

  /** The worlds of a play one after the other, each with what the play comes to in it. */
  *worlds<T>(play: (choices: Choices) => T): Generator<Played<T>> {
    do {
      [this.#world, this.#next] = [[], 0];
      const result = play(this);
      yield { world: this.#world.slice(), result };
      while (this.#script.at(-1)?.shift() && this.#script.at(-1)?.length === 0) this.#script.pop();
      if (this.#script.length <= (this.#begun?.next ?? 0)) this.#begun = undefined;
    } while (this.#script.length > 0);
  }
}

/** No exchange has more worlds: of one with more, nothing is learned. */
const MAX_WORLDS = 2_000;

/** Plays with every combination of choices; undefined if there are too many. */
export function worldsOf<T>(play: (choices: Choices) => T): Played<T>[] | undefined {
  const worlds: Played<T>[] = [];
  for (const world of new Choices().worlds(play)) if (worlds.push(world) > MAX_WORLDS) return undefined;
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

  allows = (world: World): boolean => world.every(([name, value]) => this.allowsValue(name, value));
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
    const disputed = names.filter((name) => worlds.some((world) => isRuledOut(name, partOf(world, name))));
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
      for (const [name] of left[0] ?? []) {
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
      if (this.#looks > MAX_LOOKS) return true;
      const trial = new State(this.#state);
      trial.worlds.set(exchange, [world]);
      return this.#follow(trial, exchange) === undefined;
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
    return domain instanceof Values && domain.all.length === 1 ? domain.all[0] : undefined;
  }

  /** An exchange that rules out a value of a variable; undefined if none does. */
  objectionTo(name: string, value: Domain): number | undefined {
    return this.#state.allowsValue(name, value) ? undefined : this.witnessesOf(name).at(-1);
  }
}

/** What worlds together allow of a variable; undefined if one of them says nothing of it. */
const shownBy = ([first, ...others]: readonly World[], name: string): Domain | undefined =>
  others.reduce<Domain | undefined>((all, world) => {
    const one = partOf(world, name);
    return one && all?.join(one);
  }, first && partOf(first, name));

const namesIn = (worlds: readonly World[]): string[] => [
  ...new Set(worlds.flatMap((one) => one.map(([name]) => name))),
];

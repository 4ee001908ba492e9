/** Faults: the form of a rule, the rules in force, and which of them fires for a call or delivery. */
import { BOUNDS } from "../kernel/bounds.js";
import { TOO_LONG } from "../kernel/linear-regex.js";
import { closedProblems, patternProblems, programsIn } from "../kernel/matching.js";
import { omitUndefined } from "../kernel/objects.js";
import { keyProblemAt, LimitReached, type Problem, problemAt, UnusableDocument } from "../kernel/problems.js";
import { Random, seedOf } from "../kernel/random.js";
import type { Infer, InferReadonly } from "../kernel/schema.js";
import { anyOf, integer, number, object, oneOf, optional, string } from "../kernel/schema.js";
import { preview, unknownKey } from "../kernel/words.js";
import type { Delivery } from "./deliveries.js";
import type { FaultAction, FaultEffect, FaultTarget } from "./fault-effects.js";
import { effectProblems, FAULT_TARGETS, faultEffectSchema, idleReason } from "./fault-effects.js";
import type { JournalEntry } from "./journal.js";
import { anyMatchSchema, DELIVERIES, deliveryDifferences, REQUESTS, requestDifferences } from "./match.js";
import { NOT_SAVED, type Saver } from "./saver.js";

const count = (minimum: number, description: string) =>
  integer({ minimum, maximum: BOUNDS.faultCounter.limit, description });

const preset = (description: string, fits: readonly FaultTarget[], then: FaultEffect) => ({
  description,
  fits,
  then,
});

export const FAULT_PRESETS = {
  "rate-limited": preset("answers 429 with a Retry-After of one second", FAULT_TARGETS, {
    status: 429,
    headers: { "Retry-After": "1" },
    body: { error: "Too many requests" },
  }),
  unavailable: preset("answers 503", FAULT_TARGETS, { status: 503, body: { error: "Service unavailable" } }),
  slow: preset("adds a delay of two to five seconds", FAULT_TARGETS, {
    delayMs: { min: 2_000, max: 5_000 },
  }),
  "hang-up": preset("closes the connection before any change", FAULT_TARGETS, { drop: "before" }),
  "token-expired": preset("treats the token as expired", ["request"], { tokenExpired: true }),
  "bad-signature": preset("signs the delivery with an unknown secret", ["delivery"], { signature: "bad" }),
  "stale-signature": preset("signs the delivery with an old time", ["delivery"], { signature: "stale" }),
};
/** An effect by its name. */
export type FaultPreset = keyof typeof FAULT_PRESETS;
export const FAULT_PRESET_NAMES = Object.keys(FAULT_PRESETS) as [FaultPreset, ...FaultPreset[]];

const conditions = {
  on: oneOf(FAULT_TARGETS),
  match: optional(anyMatchSchema),
  times: optional(count(1, "fires at most this often")),
  after: optional(count(0, "skips this many matches first")),
  every: optional(count(1, "then fires on the first and every n-th match")),
  probability: optional(
    number({
      minimum: 0,
      maximum: 1,
      description: "the probability of firing on a match; seeded by the sandbox",
    }),
  ),
};

export const faultSchema = object(
  { ...conditions, then: anyOf([faultEffectSchema, oneOf(FAULT_PRESET_NAMES)]) },
  { title: "fault" },
);
/** A rule that makes something go wrong: what it matches, when it fires, and what it does. */
export type FaultInput = Infer<typeof faultSchema>;

export const faultRuleSchema = object(
  {
    id: string({ examples: ["f1"] }),
    ...conditions,
    preset: optional(oneOf(FAULT_PRESET_NAMES)),
    then: faultEffectSchema,
    seen: integer({ description: "the number of matching calls or deliveries" }),
    fired: integer(),
    note: optional(
      string({ description: "why the rule has no effect as things stand; it does not fire meanwhile" }),
    ),
  },
  { title: "fault rule" },
);
/** A rule in force, with presets expanded, and how often it was seen and fired. */
export type FaultRule = InferReadonly<typeof faultRuleSchema>;

/** What is wrong with a rule that the schema accepts. `isLater`: whether a text in the match is only known later. */
export function problemsOf({ on, match, then }: FaultInput, isLater?: (text: string) => boolean): Problem[] {
  return [
    ...matchProblems(on, match ?? {}, isLater),
    ...(typeof then === "string" ? presetProblems(on, then) : effectProblems(on, then)),
  ];
}

function matchProblems(on: FaultTarget, match: object, isLater?: (text: string) => boolean): Problem[] {
  const { fields, values } = on === "request" ? REQUESTS : DELIVERIES;
  const unfit = Object.keys(match).filter((key) => !fields.includes(key));
  return [
    ...unfit.map((key) => keyProblemAt(["match", key], unknownKey(`${on} field`, key, fields))),
    ...patternProblems(match, "match"),
    ...closedProblems(values, match, ["match"], isLater),
  ];
}

function presetProblems(on: FaultTarget, preset: FaultPreset): Problem[] {
  const { fits } = FAULT_PRESETS[preset];
  return fits.includes(on)
    ? []
    : [problemAt(["then"], `${preview(preset)} applies to a ${fits.join(" or a ")}, not to a ${on}`)];
}

type LiveRule = Omit<FaultRule, "note"> & { seen: number; fired: number };

/** The rules of a saved sandbox, and how many it has ever had: ids continue from there. */
export interface KeptFaults {
  readonly added: number;
  readonly rules: readonly LiveRule[];
}

/**
 * The faults of one sandbox: the oldest rule that fires wins. Chance follows from the seed, the rule and the call or delivery
 * alone, so the same rules, seed and calls give the same faults, in whatever order deliveries are attempted.
 */
export class Faults {
  readonly rules = new Map<string, LiveRule>();
  /** Notified when a rule is seen or fires; without a rule when the rules themselves change. */
  onChange: (rule?: FaultRule) => void = () => {};
  added = 0;

  /** @param isSigned whether deliveries are signed now */
  constructor(
    private readonly seed: number,
    private readonly isSigned: () => boolean,
    initial: readonly FaultInput[] | KeptFaults = [],
    private readonly saver: Saver = NOT_SAVED,
  ) {
    if (!("rules" in initial)) for (const input of initial) this.#put(input);
    else {
      this.added = initial.added;
      for (const rule of initial.rules) this.rules.set(rule.id, rule);
    }
  }

  get active(): boolean {
    return this.rules.size > 0;
  }

  /** Adds a valid rule. @throws LimitReached, and Refusal if it cannot be saved */
  add(input: FaultInput): FaultRule {
    this.saver.check();
    const rule = this.#put(input);
    this.saver.changed();
    this.onChange();
    return this.#shown(rule);
  }

  #put(input: FaultInput): LiveRule {
    if (this.rules.size >= BOUNDS.faults.limit) throw new LimitReached("faults", BOUNDS.faults.limit);
    const matches = [...this.rules.values(), input].map(({ match }) => match);
    if (programsIn(matches) > BOUNDS.patternProgram.limit)
      throw new UnusableDocument([
        problemAt(["match"], `all "$regex" and "$contains" of the faults together have ${TOO_LONG}`),
      ]);
    this.added += 1;
    const { then, ...rest } = structuredClone(input);
    const id = `f${this.added}`;
    const effect = typeof then === "string" ? { preset: then, then: FAULT_PRESETS[then].then } : { then };
    const rule: LiveRule = { id, ...rest, ...effect, seen: 0, fired: 0 };
    this.rules.set(id, rule);
    return rule;
  }

  list(): FaultRule[] {
    return [...this.rules.values()].map((rule) => this.#shown(rule));
  }

  get(id: string): FaultRule | undefined {
    const rule = this.rules.get(id);
    return rule && this.#shown(rule);
  }

  #shown(rule: LiveRule): FaultRule {
    const note = idleReason(rule.then, this.isSigned());
    return note === undefined ? rule : { ...rule, note };
  }

  /** True if there was one. @throws Refusal if the change cannot be saved */
  remove(id: string): boolean {
    this.saver.check();
    const known = this.rules.delete(id);
    if (!known) return false;
    this.saver.changed();
    this.onChange();
    return true;
  }

  /** Removes all rules, those of the start included; ids continue. @throws Refusal if the change cannot be saved */
  clear(): void {
    this.saver.check();
    this.rules.clear();
    this.saver.changed();
    this.onChange();
  }

  /** The effects on a call or delivery, if any. Every rule that matches counts it as seen. */
  pick(on: FaultTarget, subject: JournalEntry | Delivery): FaultAction | undefined {
    let action: FaultAction | undefined;
    for (const rule of this.rules.values()) {
      if (rule.on !== on || !fits(rule, subject)) continue;
      rule.seen += 1;
      this.saver.changed();
      this.onChange(this.#shown(rule));
      const drawn = (what: string) => this.#drawn(what, rule, subject);
      if (action !== undefined || !this.#fires(rule, drawn)) continue;
      rule.fired += 1;
      const { id, preset } = rule;
      action = { ...rule.then, rule: id, ...omitUndefined({ preset }), delayMs: delayOf(rule.then, drawn) };
    }
    return action;
  }

  /** A number from 0 to 1: for a call by its number among those that the rule has seen, for a delivery by what caused it. */
  #drawn(what: string, { id, seen }: LiveRule, subject: JournalEntry | Delivery): number {
    const { webhookId, causedBy, eventType, threadId, attempts } = subject as Delivery;
    const occasion =
      attempts === undefined ? [seen] : [webhookId, causedBy, eventType, threadId, attempts.length];
    return new Random(seedOf(JSON.stringify([this.seed, id, what, ...occasion]))).fraction();
  }

  #fires(rule: LiveRule, drawn: Drawn): boolean {
    const { then, seen, fired, after = 0, every = 1, times = fired + 1, probability = 1 } = rule;
    if (seen <= after || (seen - after - 1) % every !== 0 || fired >= times) return false;
    if (idleReason(then, this.isSigned()) !== undefined) return false;
    return probability >= 1 || drawn("probability") < probability;
  }
}

type Drawn = (what: string) => number;

function delayOf({ delayMs = 0 }: FaultEffect, drawn: Drawn): number {
  if (typeof delayMs === "number") return delayMs;
  return delayMs.min + Math.floor(drawn("delay") * (delayMs.max - delayMs.min + 1));
}

function fits({ on, match = {} }: LiveRule, subject: JournalEntry | Delivery): boolean {
  const found =
    on === "request"
      ? requestDifferences(match, subject as JournalEntry, 1)
      : deliveryDifferences(match, subject as Delivery, 1);
  return found.length === 0;
}

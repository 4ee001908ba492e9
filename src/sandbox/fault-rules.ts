import { BOUNDS } from "../kernel/bounds.js";
import { closedProblems } from "../kernel/closed-values.js";
import { patternProblems } from "../kernel/matching.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt } from "../kernel/problems.js";
import { MAX_TIMER_MS } from "../kernel/realtime.js";
import type { Infer, InferReadonly } from "../kernel/schema.js";
import { anyOf, integer, number, object, oneOf, optional, string } from "../kernel/schema.js";
import { preview, unknownKey } from "../kernel/words.js";
import type { FaultEffect, FaultTarget } from "./fault-effects.js";
import { effectProblems, FAULT_TARGETS, faultEffectSchema } from "./fault-effects.js";
import {
  anyMatchSchema,
  DELIVERY_MATCH_FIELDS,
  DELIVERY_VALUES,
  REQUEST_MATCH_FIELDS,
  REQUEST_VALUES,
} from "./match.js";

/** More calls than anybody makes. */
const MAX_COUNT = BOUNDS.faultCounter.limit;
const count = (minimum: number, description: string) => integer({ minimum, maximum: MAX_COUNT, description });

interface Preset {
  readonly description: string;
  readonly fits: readonly FaultTarget[];
  readonly then: FaultEffect;
}

/** Faults with a name. */
export const FAULT_PRESETS = {
  "rate-limited": {
    description: "answers 429 with a Retry-After of one second",
    fits: ["request", "delivery"],
    then: { status: 429, headers: { "Retry-After": "1" }, body: { error: "Too many requests" } },
  },
  unavailable: {
    description: "answers 503",
    fits: ["request", "delivery"],
    then: { status: 503, body: { error: "Service unavailable" } },
  },
  slow: {
    description: "takes two to five seconds longer",
    fits: ["request", "delivery"],
    then: { delayMs: { min: 2_000, max: 5_000 } },
  },
  "hang-up": {
    description: "closes the connection before anything has happened",
    fits: ["request", "delivery"],
    then: { drop: "before" },
  },
  "token-expired": {
    description: "treats the token as one that has expired",
    fits: ["request"],
    then: { tokenExpired: true },
  },
  "bad-signature": {
    description: "signs the delivery with a secret that nobody has",
    fits: ["delivery"],
    then: { signature: "bad" },
  },
  "stale-signature": {
    description: "signs the delivery with a time that has long passed",
    fits: ["delivery"],
    then: { signature: "stale" },
  },
} as const satisfies Readonly<Record<string, Preset>>;
/** An effect by its name. */
export type FaultPreset = keyof typeof FAULT_PRESETS;
export const FAULT_PRESET_NAMES = Object.keys(FAULT_PRESETS) as [FaultPreset, ...FaultPreset[]];

/** What a rule is about, and when it fires. */
const conditions = {
  on: oneOf(FAULT_TARGETS),
  match: optional(anyMatchSchema),
  times: optional(count(1, "fires at most this often")),
  after: optional(count(0, "lets this many matching ones pass first")),
  every: optional(count(1, "of the matching ones after that, fires on the first and then on each n-th")),
  forMs: optional(
    integer({
      minimum: 1,
      maximum: MAX_TIMER_MS,
      description: "fires for so long of real time after it first did, and then never again",
    }),
  ),
  probability: optional(
    number({
      minimum: 0,
      maximum: 1,
      description: "of firing where it could; drawn from the sandbox's seed",
    }),
  ),
};

/** A rule about what goes wrong, as it is written (contract section 5). */
export const faultSchema = object(
  { ...conditions, then: anyOf([faultEffectSchema, oneOf(FAULT_PRESET_NAMES)]) },
  { title: "fault" },
);
/** A rule about what goes wrong: what it is about, when it fires, and what it does. */
export type FaultInput = Infer<typeof faultSchema>;

export const faultRuleSchema = object(
  {
    id: string({ examples: ["f1"] }),
    ...conditions,
    preset: optional(oneOf(FAULT_PRESET_NAMES)),
    then: faultEffectSchema,
    seen: integer({ description: "how many calls or deliveries it fitted" }),
    fired: integer(),
  },
  { title: "fault rule" },
);
/** A rule that is in force, presets spelled out, and how often it was seen and fired. */
export type FaultRule = InferReadonly<typeof faultRuleSchema>;

/** The effect that a rule names or spells out. */
export const effectOf = (then: FaultInput["then"]): FaultEffect =>
  typeof then === "string" ? FAULT_PRESETS[then].then : then;

/** What is wrong with a rule that the schema accepts. `isLater`: whether a text in the match is not known yet. */
export function problemsOf({ on, match, then }: FaultInput, isLater?: (text: string) => boolean): Problem[] {
  return [
    ...matchProblems(on, match ?? {}, isLater),
    ...(typeof then === "string" ? presetProblems(on, then) : effectProblems(on, then)),
  ];
}

function matchProblems(on: FaultTarget, match: object, isLater?: (text: string) => boolean): Problem[] {
  const known = on === "request" ? REQUEST_MATCH_FIELDS : DELIVERY_MATCH_FIELDS;
  const unfit = Object.keys(match).filter((key) => !known.includes(key));
  return [
    ...unfit.map((key) => keyProblemAt(["match", key], `${unknownKey("field", key, known)} (of a ${on})`)),
    ...patternProblems(match, "match"),
    ...closedProblems(on === "request" ? REQUEST_VALUES : DELIVERY_VALUES, match, ["match"], isLater),
  ];
}

function presetProblems(on: FaultTarget, preset: FaultPreset): Problem[] {
  const { fits }: Preset = FAULT_PRESETS[preset];
  return fits.includes(on)
    ? []
    : [problemAt(["then"], `${preview(preset)} is for a ${fits.join(" or a ")}, not for a ${on}`)];
}

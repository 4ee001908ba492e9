import { SERVICE_REFUSALS } from "../domain/refusals.js";
import { BOUNDS } from "../kernel/bounds.js";
import { closedProblems } from "../kernel/closed-values.js";
import { patternProblems } from "../kernel/matching.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt } from "../kernel/problems.js";
import { MAX_TIMER_MS } from "../kernel/realtime.js";
import type { Infer, InferReadonly } from "../kernel/schema.js";
import {
  anyOf,
  boolean,
  integer,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import { preview, unknownKey } from "../kernel/words.js";
import { anyMatchSchema, DELIVERY_MATCH_FIELDS, REQUEST_MATCH_FIELDS } from "./match.js";
import { DELIVERY_VALUES, REQUEST_VALUES } from "./match-values.js";

const FAULT_TARGETS = ["request", "delivery"] as const;
/** What a rule is applied to: calls to the simulated API, or deliveries to webhooks. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** More calls than anybody makes. */
const MAX_COUNT = BOUNDS.faultCounter.limit;
/** How many headers a rule sets, and how long each is. */
const MAX_HEADERS = BOUNDS.faultHeaders.limit;
const MAX_HEADER = BOUNDS.faultHeaderCharacters.limit;
/** Each duplicate is a call of its own. */
const MAX_DUPLICATES = BOUNDS.faultDuplicates.limit;

const count = (minimum: number, description: string) => integer({ minimum, maximum: MAX_COUNT, description });
const delay = (description?: string) =>
  integer({ minimum: 0, maximum: MAX_TIMER_MS, ...(description ? { description } : {}) });

/** Headers that frame a message or belong to its connection: another value of them would be no HTTP. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const headersSchema = record(
  string({
    pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$",
    maxLength: MAX_HEADER,
    "x-form": "text that a header can carry",
  }),
  {
    maxProperties: MAX_HEADERS,
    propertyNames: { type: "string", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "x-form": "a header name" },
    description: "on a request: of the answer; on a delivery: added to the attempt",
  },
);

/** What a rule does when it fires. On a request `drop` goes before the answer, `malformed` before `body`. */
const faultEffectSchema = object({
  delayMs: optional(
    anyOf([delay("milliseconds"), object({ min: delay(), max: delay() })], {
      description: "waits first; a range is drawn from",
    }),
  ),
  status: optional(
    integer({
      minimum: 200,
      maximum: 599,
      description:
        "answers with this status: in place of the service, which changes nothing, or of the receiver, which is not called",
    }),
  ),
  headers: optional(headersSchema),
  body: optional(unknown({ description: "answers with this body, in place of the service or the receiver" })),
  malformed: optional(
    boolean({ description: "broken JSON: the answer to a request, the payload of a delivery" }),
  ),
  drop: optional(
    oneOf(["before", "after"], {
      description:
        "closes the request's connection before or after the state change; never sends the delivery, or ignores its answer",
    }),
  ),
  duplicate: optional(
    integer({
      minimum: 1,
      maximum: MAX_DUPLICATES,
      description: "sends this many more of the delivery at the same moment",
    }),
  ),
  reorder: optional(boolean({ description: "swaps the delivery with the next one of its webhook" })),
  tokenExpired: optional(boolean({ description: "the call's token counts as expired" })),
  refusal: optional(
    oneOf(["invalid", ...SERVICE_REFUSALS], {
      description:
        "refuses the call as the operation does, in its form and with the answer that is in force; nothing changes",
    }),
  ),
  signature: optional(
    oneOf(["bad", "stale"], { description: "signs wrongly, or as of long ago, where deliveries are signed" }),
  ),
});
/** What a rule does to a call or delivery; fields of one effect go together. */
export type FaultEffect = Infer<typeof faultEffectSchema>;

/** Effects that fit only one target. */
const ONLY_ON: { readonly [K in keyof FaultEffect]?: FaultTarget } = {
  duplicate: "delivery",
  reorder: "delivery",
  signature: "delivery",
  tokenExpired: "request",
  refusal: "request",
};

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

function effectProblems(on: FaultTarget, effect: FaultEffect): Problem[] {
  if (Object.keys(effect).length === 0) return [problemAt(["then"], "must say what is to happen")];
  const problems = Object.entries(ONLY_ON)
    .filter(([key, target]) => target !== on && Object.hasOwn(effect, key))
    .map(([key, target]) => keyProblemAt(["then", key], `is for a ${target}, not for a ${on}`));
  for (const name of Object.keys(effect.headers ?? {}))
    if (OF_THE_CONNECTION.has(name.toLowerCase()))
      problems.push(keyProblemAt(["then", "headers", name], "belongs to the connection and cannot be set"));
  const { delayMs } = effect;
  if (typeof delayMs === "object" && delayMs.min > delayMs.max) {
    problems.push(
      problemAt(
        ["then", "delayMs", "min"],
        `must not be greater than max, ${delayMs.max}, but is ${delayMs.min}`,
      ),
    );
  }
  return problems;
}

import { BOUNDS } from "../kernel/bounds.js";
import { sizeProblem } from "../kernel/json.js";
import { PATTERN_SIZE } from "../kernel/matching.js";
import { keyProblemAt, type Problem, problemAt } from "../kernel/problems.js";
import { MAX_TIMER_MS } from "../kernel/realtime.js";
import type { Infer } from "../kernel/schema.js";
import { anyOf, boolean, integer, object, oneOf, optional, record, unknown } from "../kernel/schema.js";
import { isOfConnection } from "../service/domain/webhooks.js";
import { headerName, headerValue } from "../service/world/records.js";

export const FAULT_TARGETS = ["request", "delivery"] as const;
/** What a rule is applied to: calls to the simulated API, or deliveries to webhooks. */
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/** The payload is rebuilt for each attempt. */
const MAX_PAYLOAD = BOUNDS.faultPayloadCharacters.limit;

const delay = (description?: string) =>
  integer({ minimum: 0, maximum: MAX_TIMER_MS, ...(description ? { description } : {}) });

const headersSchema = record(headerValue({ maxLength: BOUNDS.faultHeaderCharacters.limit }), {
  maxProperties: BOUNDS.faultHeaders.limit,
  propertyNames: headerName(),
  description: "for a request: headers of the response; for a delivery: headers added to the attempt",
});

/** What a rule does when it fires. On a request, `drop` comes before the answer, `malformed` before `body`. */
export const faultEffectSchema = object({
  delayMs: optional(
    anyOf([delay("milliseconds"), object({ min: delay(), max: delay() })], {
      description: "delay before the response or attempt; from a range, a random value",
    }),
  ),
  status: optional(
    integer({
      minimum: 200,
      maximum: 599,
      description:
        "responds with this status in place of the service (which changes nothing) or the receiver (which is not called)",
    }),
  ),
  headers: optional(headersSchema),
  body: optional(unknown({ description: "responds with this body in place of the service or the receiver" })),
  malformed: optional(
    boolean({ description: "breaks the JSON of a request's response or a delivery's payload" }),
  ),
  drop: optional(
    oneOf(["before", "after"], {
      description:
        "for a request: closes the connection before or after the state change; for a delivery: never sends it, or ignores the response",
    }),
  ),
  duplicate: optional(
    integer({
      minimum: 1,
      maximum: BOUNDS.faultDuplicates.limit,
      description: "sends this many duplicates of the delivery at the same time",
    }),
  ),
  reorder: optional(
    boolean({
      description:
        "swaps the delivery with the next one of its webhook, then waits delayMs; a held delivery is sent when the rule is removed",
    }),
  ),
  tokenExpired: optional(boolean({ description: "the call's token counts as expired" })),
  payload: optional(
    record(unknown(), {
      maxProperties: BOUNDS.matchValues.limit,
      description:
        "a JSON merge patch (RFC 7396) of the payload, applied before signing; null removes a field",
      examples: [{ data: { priority: 3 } }],
    }),
  ),
  signature: optional(
    oneOf(["bad", "stale"], {
      description:
        "for signed deliveries: signs with another secret (bad), or a time ten minutes in the past (stale)",
    }),
  ),
  copy: optional(
    boolean({
      description:
        "sends the delivery once more before the delivery itself, and ignores the response; payload and signature then change only this copy, which gets its own webhook-id",
    }),
  ),
});
/** What a rule does to a call or delivery; fields of one effect go together. */
export type FaultEffect = Infer<typeof faultEffectSchema>;

/** The effects on one call or delivery; fields as in `then`, with probabilities already drawn. */
export interface FaultAction extends Omit<FaultEffect, "delayMs"> {
  readonly rule: string;
  /** The name that the rule gives for its effects. */
  readonly preset?: string;
  readonly delayMs: number;
}

const ONLY_ON: { readonly [K in keyof FaultEffect]?: FaultTarget } = {
  duplicate: "delivery",
  reorder: "delivery",
  signature: "delivery",
  payload: "delivery",
  copy: "delivery",
  tokenExpired: "request",
};

export function effectProblems(on: FaultTarget, effect: FaultEffect): Problem[] {
  if (Object.keys(effect).length === 0)
    return [problemAt(["then"], "must name an effect, such as status, delayMs or drop")];
  const problems = Object.entries(ONLY_ON)
    .filter(([key, target]) => target !== on && Object.hasOwn(effect, key))
    .map(([key, target]) => keyProblemAt(["then", key], `applies to a ${target}, not to a ${on}`));
  for (const name of Object.keys(effect.headers ?? {}))
    if (isOfConnection(name))
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
  const { payload = {} } = effect;
  const size = sizeProblem(payload, PATTERN_SIZE);
  if (size !== undefined) problems.push(problemAt(["then", "payload"], size));
  else if (JSON.stringify(payload).length > MAX_PAYLOAD)
    problems.push(
      problemAt(["then", "payload"], `must not be longer than ${MAX_PAYLOAD} characters as JSON`),
    );
  return problems;
}

/**
 * Why a rule cannot do what it says as things stand; undefined if it can.
 *
 * @param isSigned whether deliveries are signed (behaviour `delivery.signature`)
 */
export const idleReason = ({ signature }: FaultEffect, isSigned: boolean): string | undefined =>
  signature === undefined || isSigned
    ? undefined
    : "has no effect: deliveries are not signed (behaviour delivery.signature is null)";

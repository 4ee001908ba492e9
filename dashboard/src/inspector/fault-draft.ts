import { omitUndefined } from "../../../src/kernel/objects.js";

/** A fault as it stands in the form; empty for what is not said. */
export interface FaultDraft {
  readonly on: "request" | "delivery";
  /** The operation of a call, or the type of an event. */
  readonly kind: string;
  readonly thread: string;
  readonly nth: string;
  readonly times: string;
  readonly probability: string;
  readonly delayMs: string;
  readonly status: string;
  readonly body: string;
}

/** The longest delay, ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The label of the field for the first entry that the fault hits. */
export const firstLabel = (on: FaultDraft["on"]): string => `From ${on === "request" ? "call" : "event"} no.`;

/** @throws Error that names the field, for text that is no whole number in its range */
export function wholeIn(
  text: string,
  name: string,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max.toLocaleString("en")}`;
  throw new Error(`${name} must be a whole number, ${range}, not “${text.trim()}”.`);
}

/** @throws Error for text that is no number from 0 to 1 */
function probabilityIn(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new Error(`Probability must be a number from 0 to 1, not “${text.trim()}”.`);
}

/** A body as JSON; a text that is none as itself. */
function bodyIn(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The body of `POST /faults`.
 *
 * @throws Error that says which field is wrong, or that nothing would happen
 */
export function faultOf(draft: FaultDraft): object {
  const { on, kind, body } = draft;
  const thread = draft.thread.trim();
  const then = omitUndefined({
    delayMs: wholeIn(draft.delayMs, "Delay", 0, MAX_DELAY_MS),
    status: wholeIn(draft.status, "Status", 200, 599),
    body: bodyIn(body),
  });
  if (Object.keys(then).length === 0) throw new Error("Enter a delay, a status or a body.");
  const isCall = on === "request";
  const nth = wholeIn(draft.nth, firstLabel(on)) ?? 1;
  // The service takes ids as text; widgets and some clients send numbers.
  const ids =
    thread !== "" && String(Number(thread)) === thread ? { $oneOf: [thread, Number(thread)] } : thread;
  const match = omitUndefined({
    operation: isCall && kind !== "" ? kind : undefined,
    eventType: !isCall && kind !== "" ? kind : undefined,
    body: isCall && thread !== "" ? { customerThreadId: ids } : undefined,
    threadId: !isCall && thread !== "" ? thread : undefined,
  });
  return omitUndefined({
    on,
    match: Object.keys(match).length === 0 ? undefined : match,
    after: nth === 1 ? undefined : nth - 1,
    times: wholeIn(draft.times, "Times"),
    probability: probabilityIn(draft.probability),
    then,
  });
}

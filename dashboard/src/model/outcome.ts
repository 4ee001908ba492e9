import { shortMs, shortValue } from "../lib/format";
import type { DeliveryRecord, RequestRecord } from "./types";

/** How something ended: decides its colour and icon. */
export type Tone = "good" | "bad" | "held" | "waiting" | "quiet" | "warn";

export interface Outcome {
  readonly tone: Tone;
  /** `200 in 18 ms`, `blocked`, `failed: connection refused` */
  readonly description: string;
}

/** Whether a fault holds a delivery back. */
export const isHeldBack = ({ status, reason }: DeliveryRecord): boolean =>
  status === "pending" && reason !== null;

export function deliveryOutcome(delivery: DeliveryRecord): Outcome {
  const { status, attempts, reason } = delivery;
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ""
      : last.status === null
        ? (last.error ?? "no answer")
        : `${last.status} in ${shortMs(last.durationMs)}`;
  if (status === "delivered") return { tone: "good", description: answer || "delivered" };
  if (status === "failed")
    return { tone: "bad", description: last?.status === null ? `failed: ${answer}` : answer || "failed" };
  if (status === "blocked") return { tone: "held", description: "blocked" };
  if (status === "dropped")
    return { tone: "quiet", description: `dropped${reason === null ? "" : `: ${reason}`}` };
  if (isHeldBack(delivery)) return { tone: "held", description: reason ?? "" };
  return { tone: "waiting", description: last === undefined ? "in progress" : `${answer}, will be retried` };
}

export function requestOutcome({ status, durationMs, warnings }: RequestRecord): Outcome {
  if (durationMs === null) return { tone: "waiting", description: "no response yet" };
  if (status === null)
    return { tone: "bad", description: `closed without an answer after ${shortMs(durationMs)}` };
  const description = `${status} in ${shortMs(durationMs)}`;
  if (status >= 400) return { tone: "bad", description };
  return { tone: warnings.length > 0 ? "warn" : "good", description };
}

const textIn = (value: unknown, name: string): string | undefined => {
  const text = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === "string" ? text : undefined;
};

/** The problems of a validation answer, each in words; none where it is no such answer. */
function problemsIn(response: unknown, part: string): string[] {
  const list: unknown =
    typeof response === "object" && response !== null ? Reflect.get(response, part) : null;
  if (!Array.isArray(list)) return [];
  return list.map((one) => `${textIn(one, "property") ?? ""} ${textIn(one, "message") ?? ""}`.trim());
}

/** What the answer to a refused call says of why; empty where it says nothing. */
export function refusalOf({ response }: Pick<RequestRecord, "response">): string {
  if (response === null) return "";
  const errors: unknown = typeof response === "object" ? Reflect.get(response, "errors") : undefined;
  const [first] = Array.isArray(errors) ? errors : [];
  const problems = ["body", "headers"].flatMap((part) => problemsIn(response, part)).join("; ");
  return (
    textIn(response, "error") ??
    textIn(response, "developerMessage") ??
    textIn(first, "message") ??
    (problems || shortValue(response))
  );
}

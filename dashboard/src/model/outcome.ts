import { shortMs } from "../lib/format";
import type { Delivery, RequestRecord } from "./types";

/** How something ended, for colour and sign. */
export type Tone = "good" | "bad" | "held" | "waiting" | "quiet" | "warn";

export interface Outcome {
  readonly tone: Tone;
  /** `200 in 18 ms`, `held back`, `failed: connection refused` */
  readonly words: string;
}

export function outcomeOfDelivery({ status, attempts, reason }: Delivery): Outcome {
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ""
      : last.status === null
        ? (last.error ?? "no answer")
        : `${last.status} in ${shortMs(last.durationMs)}`;
  if (status === "delivered") return { tone: "good", words: answer || "delivered" };
  if (status === "failed")
    return { tone: "bad", words: last?.status === null ? `failed: ${answer}` : answer || "failed" };
  if (status === "blocked") return { tone: "held", words: "held back" };
  if (status === "dropped") return { tone: "quiet", words: `dropped${reason === null ? "" : `: ${reason}`}` };
  return { tone: "waiting", words: last === undefined ? "on its way" : `${answer}, tried again later` };
}

export function outcomeOfRequest({ status, durationMs, warnings }: RequestRecord): Outcome {
  if (durationMs === null) return { tone: "waiting", words: "not answered yet" };
  if (status === null) return { tone: "bad", words: `closed without an answer after ${shortMs(durationMs)}` };
  const words = `${status} in ${shortMs(durationMs)}`;
  if (status >= 400) return { tone: "bad", words };
  return { tone: warnings.length > 0 ? "warn" : "good", words };
}

import { masked, maskedAddress } from "../../../src/kernel/masking.js";
import { requestTarget } from "../lib/curl";
import { isoTime, pretty } from "../lib/format";
import { deliveryOutcome, operationName, refusalOf, requestOutcome, type Tone } from "../model/outcome";
import type { DeliveryRecord, Message, RequestRecord } from "../model/types";
import type { Fold } from "../story/folding";
import type { Step, Turn } from "../story/turns";

/** A payload or an answer, and what it is called. */
export type Block = readonly [label: string, text: string];

/** A message, or something that happened, without any secret. */
export interface SharedPart {
  readonly tone: Tone | "customer" | "employee" | "internal";
  /** Who wrote it or what happened, and when. */
  readonly head: string;
  /** What was written; empty for what happened. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A conversation, or one turn of it, as it is given to others. */
export interface Shared {
  readonly title: string;
  /** Where it comes from: thread, channel, sandbox and time. */
  readonly facts: string;
  /** The turns, oldest first. */
  readonly turns: readonly (readonly SharedPart[])[];
  /** Why the last turn has no reply; empty where it has one. */
  readonly due: string;
  /** The test that repeats it; empty where there is nothing to repeat. */
  readonly test: string;
}

/** How many characters of a payload are shared. */
const MAX_BLOCK = 10_000;

const block = (label: string, value: unknown): Block[] => {
  const text = value === null ? "" : pretty(masked(value));
  const left = text.length - MAX_BLOCK;
  if (text === "") return [];
  return [
    [label, left > 0 ? `${text.slice(0, MAX_BLOCK)}\n… ${left.toLocaleString("en")} more characters` : text],
  ];
};

/** What a turn shares: its messages, and between them each delivery and call with what caused it. */
export const partsOf = ({ steps }: Turn, authorOf: (message: Message) => string): SharedPart[] =>
  steps.flatMap((step) =>
    step.kind === "message" ? [messagePart(step, authorOf(step.message))] : step.folds.map(foldPart),
  );

function messagePart({ message, origin }: Extract<Step, { kind: "message" }>, author: string): SharedPart {
  const { fromCustomer, invisible, text, attachment, timestamp, contentSid } = message;
  const side = invisible ? "internal" : fromCustomer ? "customer" : "employee";
  const marks = [side, ...(origin === "api" ? ["bot"] : []), ...(contentSid === null ? [] : ["template"])];
  const head = `${author} (${marks.join(", ")}), ${isoTime(timestamp)}`;
  return { tone: side, head, text, blocks: block("Attachment", attachment) };
}

function foldPart({ newest, ids }: Fold): SharedPart {
  const times = ids.length === 1 ? "" : `, ×${ids.length.toLocaleString("en")}`;
  if (newest.kind === "note")
    return { tone: "quiet", head: `${newest.text} (${newest.cause})`, text: "", blocks: [] };
  const part = newest.kind === "request" ? requestPart(newest.entry) : deliveryPart(newest.entry);
  return { ...part, head: part.head + times, text: "" };
}

type EntryPart = Omit<SharedPart, "text">;

const firedBy = (fault: string | undefined): string => (fault === undefined ? "" : `, fault ${fault}`);

function requestPart(request: RequestRecord): EntryPart {
  const { id, method, operation, status, body, response, warnings, fault } = request;
  const { tone, description } = requestOutcome(request);
  const call = `${method} ${maskedAddress(requestTarget(request))}`;
  const why = (status ?? 0) < 400 ? "" : `: ${refusalOf(request)}`;
  const name = operation === null ? "" : ` (${operationName(operation)})`;
  const said = warnings.map(({ code, message }) => `${code}: ${message}`).join("\n");
  return {
    tone,
    head: `Call ${id}${name} ${call} → ${description}${why}${firedBy(fault)}`,
    blocks: [
      ...block(`Body of ${id}`, body),
      ...block(`Answer to ${id}`, response),
      ...block(`Warnings of ${id}`, said),
    ],
  };
}

function deliveryPart(delivery: DeliveryRecord): EntryPart {
  const { id, eventType, hookId, url, causedBy, attempts, body, reason } = delivery;
  const { tone, description } = deliveryOutcome(delivery);
  const cause = causedBy === null ? "by the clock" : `by ${causedBy}`;
  const tries = attempts.map(({ at, status, durationMs, error, fault }, index) => {
    const outcome = status ?? error ?? "no response";
    return `${index + 1}. ${isoTime(at)}: ${outcome} in ${durationMs} ms${firedBy(fault)}`;
  });
  return {
    tone,
    head: `Webhook ${id} (${eventType}, caused ${cause}) to ${hookId} ${maskedAddress(url)} → ${description}`,
    blocks: [
      ...block(`Payload of ${id}`, body),
      ...block(`Attempts of ${id}`, [...tries, ...(reason === null ? [] : [reason])].join("\n")),
      ...block(`Receiver's last answer to ${id}`, attempts.at(-1)?.responseBody ?? null),
    ],
  };
}

/** The newest turns whose texts are not longer than `max` together, at least one, and how many were left out. */
export function newestWithin(texts: readonly string[], max: number): { kept: string[]; left: number } {
  let length = 0;
  const from = texts.findLastIndex((text, at) => {
    length += text.length;
    return length > max && at < texts.length - 1;
  });
  return { kept: texts.slice(from + 1), left: from + 1 };
}

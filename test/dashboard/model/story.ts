import type {
  ControlRecord,
  DeliveryRecord,
  Message,
  RequestRecord,
} from "../../../dashboard/src/model/types";
import type { ChangeNote } from "../../../dashboard/src/story/change-note";
import { controlNote } from "../../../dashboard/src/story/control-note";
import { elapsedBetween } from "../../../dashboard/src/story/elapsed";
import { nothingKept, type Turn, type TurnSources, turnsOf } from "../../../dashboard/src/story/turns";
import { NOW, THREAD } from "../../support/entries.js";

const UNUSUAL = { invisible: false, contentSid: null, attachment: null, employeeUserId: null };
export const message = (id: string, text: string, rest: Partial<Message> = {}): Message => {
  return { ...UNUSUAL, id, threadId: THREAD, fromCustomer: true, text, timestamp: NOW, ...rest };
};

export const answer = (id: string, text: string, rest: Partial<Message> = {}): Message =>
  message(id, text, { fromCustomer: false, ...rest });

export const QUESTION = message("1", "Q");
export const ANSWER = answer("2", "A");

export const control = (
  id: string,
  after: string | null,
  call: string,
  rest: Partial<ControlRecord> = {},
): ControlRecord => {
  const [method = "", path = ""] = call.split(" ");
  return { id, at: NOW, method, path, body: null, status: 200, response: null, after, ...rest };
};

/** The customer writes by hand. */
export const inbound = (id: string, after: string | null, messageId: string): ControlRecord =>
  control(id, after, `POST /threads/${THREAD}/inbound`, { by: "page", response: { id: messageId } });

export const change = (causedBy: string | null, text: string, rest: Partial<ChangeNote> = {}): ChangeNote => {
  const place = { threadId: THREAD, afterRequest: null, afterControl: null };
  return { id: `s${text}`, at: NOW, ...place, causedBy, text, resolves: false, ...rest };
};

/** What a story is told from. */
export interface Told {
  /** A question, if not said otherwise. */
  readonly messages?: readonly Message[];
  readonly requests?: readonly RequestRecord[];
  readonly deliveries?: readonly DeliveryRecord[];
  readonly controls?: readonly ControlRecord[];
  readonly changes?: readonly ChangeNote[];
  /** The calls of the simulated API that wrote messages, by message id. */
  readonly wrote?: Readonly<Record<string, string>>;
  /** When the page heard of messages, ms. */
  readonly heard?: Readonly<Record<string, number>>;
}

export function sourcesOf(told: Told): TurnSources {
  const { messages = [QUESTION], requests = [], deliveries = [], controls = [] } = told;
  const { changes = [], wrote = {}, heard = {} } = told;
  const notes = controls.map(controlNote);
  const writers = new Map(notes.map(({ id, messageId = "" }) => [messageId, id]));
  const instantOf = ({ id, timestamp }: Message) => ({ time: timestamp, heard: heard[id] });
  return {
    threadId: THREAD,
    kept: nothingKept(),
    messages,
    requests,
    deliveries,
    controls: notes,
    changes,
    writerOf: (id) => wrote[id] ?? writers.get(id),
    originOf: ({ id }) => (wrote[id] !== undefined ? "api" : writers.has(id) ? "page" : undefined),
    elapsed: (from, to) => elapsedBetween(instantOf(from), instantOf(to)),
  };
}

const stepWords = (step: Turn["steps"][number]): string[] => {
  if (step.kind === "message")
    return [step.message.text + (step.answeredAfter === undefined ? "" : ` after ${step.answeredAfter.ms}`)];
  return step.folds.map(({ newest, ids }) => {
    const name = newest.kind === "note" ? `(${newest.text}; ${newest.cause})` : newest.entry.id;
    return ids.length === 1 ? name : `${name}×${ids.length}`;
  });
};
/** The turns as words: a line for each, a word for each message (its text), call, delivery (its id, or newest id × count) and note. */
export const wordsOf = (told: Told): string[] =>
  turnsOf(sourcesOf(told)).map(({ steps }) => steps.flatMap(stepWords).join(" "));

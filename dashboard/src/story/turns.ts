import type { ControlRecord, Message } from "../model/types";
import type { Elapsed } from "./elapsed";
import { eventsAfter, type StoryEvent, type StorySources } from "./placing";

/** How a message came to be; undefined where nothing says so. */
export type Origin = "api" | "control" | NonNullable<ControlRecord["by"]>;

/** Calls or deliveries that are alike, as a polling client makes them: the newest stands for all. */
export interface Fold {
  readonly newest: StoryEvent;
  /** The ids of all, oldest first. */
  readonly ids: readonly string[];
}

/** What entries are told apart by, as far as it was needed before: an entry that changes is another object. */
type Likenesses = WeakMap<StoryEvent["entry"], string>;

/** A message with what the story knows of it. */
interface MessageStep {
  readonly kind: "message";
  readonly key: string;
  /** Whether a turn begins with it. */
  readonly opens: boolean;
  readonly message: Message;
  readonly firstOfDay: boolean;
  readonly origin: Origin | undefined;
  /** For the answer of a turn: how long it took. */
  readonly answeredAfter?: Elapsed;
}

/** A message, or what happened between two. */
export type Step =
  | MessageStep
  | {
      readonly kind: "events";
      readonly key: string;
      readonly opens: boolean;
      readonly folds: readonly Fold[];
    };

/** What the customer wrote, what came of it, and the answer with what came of that. */
export interface Turn {
  readonly key: string;
  readonly steps: readonly Step[];
  /** The customer's first message without an answer: from then on one is due. */
  readonly unanswered?: Message;
}

/** The steps of all turns, one after the other. */
export const itemsOf = (turns: readonly Turn[]): Step[] => turns.flatMap(({ steps }) => steps);

/** What was made before and can be used again, as most of a long conversation can. */
export interface Kept {
  readonly steps: WeakMap<Message, MessageStep>;
  readonly likenesses: Likenesses;
}

export const nothingKept = (): Kept => ({ steps: new WeakMap(), likenesses: new WeakMap() });

/** What turns are made of beside what happened. */
export interface TurnSources extends StorySources {
  readonly kept: Kept;
  readonly originOf: (message: Message) => Origin | undefined;
  readonly elapsed: (from: Message, to: Message) => Elapsed | undefined;
}

const DAY_MS = 86_400_000;

/** A turn that is being made. */
interface Draft {
  readonly key: string;
  readonly steps: Step[];
  unanswered?: Message;
}

/**
 * The conversation in turns. A turn begins when the customer writes, unless an earlier message of the customer is still
 * without an answer: one of this run of the sandbox, where the new one is. What employees alone see is no answer.
 */
export function turnsOf(sources: TurnSources): Turn[] {
  const { messages, originOf, elapsed, kept } = sources;
  const events = eventsAfter(sources);
  const turns: Draft[] = [];
  let turn: Draft = { key: "start", steps: [] };
  const addEvents = (at: number) => {
    const happened = events.get(at);
    if (happened === undefined) return;
    const key = `t${messages[at]?.id ?? "start"}`;
    const folds = fold(happened, kept.likenesses);
    turn.steps.push({ kind: "events", key, opens: turn.steps.length === 0, folds });
  };
  addEvents(-1);
  let day = -1;
  for (const [at, message] of messages.entries()) {
    const { id, fromCustomer, invisible, timestamp } = message;
    const origin = originOf(message);
    const open = turn.unanswered;
    const isOld = () => open !== undefined && origin !== undefined && originOf(open) === undefined;
    if (fromCustomer && (open === undefined || isOld())) {
      if (turn.steps.length > 0) turns.push(turn);
      turn = { key: id, steps: [], unanswered: message };
    }
    const own = Math.floor(timestamp / DAY_MS);
    const asked = fromCustomer || invisible ? undefined : turn.unanswered;
    const isOfRun = asked !== undefined && (originOf(asked) !== undefined || origin === undefined);
    const answeredAfter = isOfRun ? elapsed(asked, message) : undefined;
    const opens = turn.steps.length === 0;
    const firstOfDay = own !== day;
    turn.steps.push(stepOf({ message, opens, firstOfDay, origin }, answeredAfter, kept));
    if (asked !== undefined) delete turn.unanswered;
    day = own;
    addEvents(at);
  }
  if (turn.steps.length > 0) turns.push(turn);
  return turns;
}

/** The step of a message: the one of before while nothing about it has changed. */
function stepOf(
  told: Omit<MessageStep, "kind" | "key" | "answeredAfter">,
  answeredAfter: Elapsed | undefined,
  { steps }: Kept,
): MessageStep {
  const { message, opens, firstOfDay, origin } = told;
  const known = steps.get(message);
  const isSame =
    known?.opens === opens &&
    known.firstOfDay === firstOfDay &&
    known.origin === origin &&
    known.answeredAfter?.ms === answeredAfter?.ms &&
    known.answeredAfter?.isReal === answeredAfter?.isReal;
  if (isSame) return known;
  const key = `m${message.id}`;
  const step: MessageStep = { kind: "message", key, ...told, ...(answeredAfter && { answeredAfter }) };
  steps.set(message, step);
  return step;
}

/** Folds entries that went to the same place and ended alike, in the order in which the first of each stood. */
function fold(events: readonly StoryEvent[], known: Likenesses): Fold[] {
  const folds = new Map<string, { newest: StoryEvent; ids: string[] }>();
  for (const one of events) {
    const key = known.get(one.entry) ?? likeness(one);
    known.set(one.entry, key);
    const alike = folds.get(key);
    if (alike === undefined) folds.set(key, { newest: one, ids: [one.entry.id] });
    else {
      alike.newest = one;
      alike.ids.push(one.entry.id);
    }
  }
  return [...folds.values()];
}

/** Equal for entries that are folded into one. */
function likeness(one: StoryEvent): string {
  if (one.kind === "note") return `n ${one.entry.id}`;
  if (one.kind === "request") {
    const { by, method, path, status, fault, durationMs, warnings } = one.entry;
    return `r ${by} ${method} ${path} ${status} ${durationMs === null} ${warnings.length > 0} ${fault}`;
  }
  const { hookId, eventType, status, reason, attempts } = one.entry;
  const last = attempts.at(-1);
  return `d ${hookId} ${eventType} ${status} ${reason} ${attempts.length} ${last?.status} ${last?.fault}`;
}

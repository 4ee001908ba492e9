/** One customer of a load test, and the calls and deliveries about its thread. */

import type { LogName, Logs, TakeOptions } from "../../client/consumed-entries.js";
import { SimError } from "../../client/errors.js";
import type { Method } from "../../client/http.js";
import type { DeliveryRecord, RequestRecord } from "../../client/types.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { decodedPart } from "../../kernel/masking.js";
import { later, monotonicNow } from "../../kernel/realtime.js";
import { threadOfRequest, visibleMessages } from "../../protocol/replies.js";
import type { ApiAnswer, ApiCall } from "../../scenarios/http.js";
import type { Outcome } from "../../scenarios/report.js";
import { StepFailure } from "../../scenarios/report.js";
import type { EngineParts, ParsedStep } from "../../scenarios/step.js";
import { isPassive, StepEngine } from "../../scenarios/step.js";
import type { Finish } from "./arrivals.js";
import type { Ending, Tally } from "./tally.js";
import type { OwnThread } from "./threads.js";

/** What the customers of a load test have in common. */
export type Surroundings = Pick<EngineParts, "transport" | "target" | "send"> & {
  readonly tally: Tally;
  /** Once it has passed, no customer writes any more. */
  readonly finish: Finish;
};

/** What a customer plays: the steps with its own thread in them. */
interface Part extends Pick<EngineParts, "token" | "within"> {
  readonly steps: readonly ParsedStep[];
}

/** The load test is over before the conversation is. */
class Unfinished extends Error {
  override readonly name = "Unfinished";
}

/** Plays a scenario once, on a thread of its own, in real time, in a sandbox that it shares. */
export class Customer extends StepEngine {
  readonly consumed: StepEngine["consumed"];
  #step: ParsedStep | undefined;
  /** When the next action was due, however late it comes: latencies count from there. */
  #due: number;
  /** When the last message was due that a reply answers. */
  #spokenAt: number | undefined;
  #dueOfCall = 0;
  /** When the last step took effect: `silent` and `none` look at what comes after it. */
  #since = 0;
  #missedReply = false;

  constructor(
    { id }: OwnThread,
    private readonly part: Part,
    private readonly mailbox: Mailbox,
    private readonly around: Surroundings,
    due = monotonicNow(),
  ) {
    super({ ...around, ...part, thread: id });
    this.#due = due;
    this.consumed = { take: (...asked) => this.#take(...asked), isTaken: () => false };
    this.values.set("threadNumber", Number(id));
  }

  /** @throws SimError where the simulator does not answer at all */
  async play(): Promise<Ending> {
    try {
      // Its thread was made ahead of time.
      if (this.#due > monotonicNow()) await this.pause(0);
      await this.execute(this.part.steps);
      return { how: "done" };
    } catch (error) {
      if (error instanceof Unfinished) return { how: "unfinished" };
      const isAnswered = error instanceof SimError && error.status !== null;
      if (!(error instanceof StepFailure) && !isAnswered) throw error;
      const { kind: step, place } = this.#step as ParsedStep;
      const ofReply = this.#missedReply ? "timeout" : "wrong";
      const kind = step.timesReply ? ofReply : "other";
      return { how: "failed", kind, step: step.key, place, message: error.message };
    }
  }

  /** @throws what a step throws, or Unfinished: the first failure ends the conversation */
  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const step of steps) {
      if (this.around.finish.passed && !isPassive(step.kind)) throw new Unfinished();
      this.#step = step;
      await this.perform(step);
    }
    return true;
  }

  override async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    this.#dueOfCall = this.#due;
    await this.passed();
    const outcome = await super.control(method, path, body);
    this.#due = monotonicNow();
    return outcome;
  }

  override async callApi(call: ApiCall): Promise<ApiAnswer> {
    await this.passed();
    const answer = await super.callApi(call);
    this.#due = monotonicNow();
    return answer;
  }

  async #take<L extends LogName>(log: L, match: object, { count = 1, timeoutMs }: TakeOptions) {
    const found = await this.mailbox.find(log, match, { count, timeoutMs });
    const [first] = found;
    const isMet = first !== undefined && found.length >= count;
    const isReply = this.#step?.kind.timesReply === true;
    this.#missedReply = isReply && !isMet;
    if (!isMet && this.mailbox.isClosed) throw new Unfinished();
    if (this.#missedReply && this.#spokenAt !== undefined)
      this.around.tally.waited(monotonicNow() - this.#spokenAt);
    if (isMet) {
      this.mailbox.use(found);
      const last = found.at(-1)?.at ?? 0;
      this.#since = Math.max(this.#since, last);
      this.#due = Math.max(this.#due, last);
      if (isReply) this.around.tally.replied(this.sinceSpoken(first.at));
    }
    const fresh = found.map(({ entry }) => entry);
    const entry = isMet ? fresh[0] : undefined;
    const agesMs = found.map(({ at }) => monotonicNow() - at);
    const none = { nearMisses: [], evicted: undefined, hints: [] };
    return { met: isMet, matches: fresh, agesMs, fresh, entry, ...none };
  }

  async next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined> {
    const end = this.#due + timeoutMs;
    const wait = { since: this.#since, timeoutMs: Math.max(0, end - monotonicNow()) };
    const [found] = await this.mailbox.find(log, match, wait);
    if (found === undefined && this.mailbox.isClosed) throw new Unfinished();
    this.#due = found === undefined ? end : monotonicNow();
    await this.passed();
    return found?.entry;
  }

  async passed(): Promise<void> {
    this.#since = monotonicNow();
  }

  async pause(ms: number): Promise<void> {
    this.#due += ms;
    const left = Math.max(0, this.#due - monotonicNow());
    if (!(await this.around.finish.pause(left))) throw new Unfinished();
    await this.passed();
  }

  spoken(): void {
    this.#spokenAt = this.#dueOfCall;
    this.around.tally.wrote(monotonicNow() - this.#dueOfCall);
  }

  sinceSpoken(at: number): number | undefined {
    return this.#spokenAt && Math.max(0, at - this.#spokenAt);
  }
}

type Hear = <L extends LogName>(log: L, entry: Logs[L]) => void;

export interface OpenFeed {
  /** How often the stream broke: entries were missed meanwhile. */
  readonly breaks: number;
  close(): void;
}

/** Reports every call to the simulated API once, when it is completed, and every delivery at each change. */
export interface Feed {
  /** Resolves once no entry can be missed. @throws SimError */
  open(logs: ReadonlySet<LogName>, hear: Hear): Promise<OpenFeed>;
  matches<L extends LogName>(log: L, match: object, entry: Logs[L]): boolean;
}

/** The mailboxes of all customers, by their threads and by themselves. */
export class Post {
  readonly #boxes = new Map<string, Mailbox>();

  /** @param tally counts visible messages that no step asked for */
  constructor(
    readonly matches: Feed["matches"],
    readonly tally: Tally,
  ) {}

  open({ id, customerId }: OwnThread): Mailbox {
    const mailbox = new Mailbox(this.matches);
    this.#boxes.set(`thread ${id}`, mailbox).set(`customer ${customerId}`, mailbox);
    return mailbox;
  }

  close({ id, customerId }: OwnThread): void {
    for (const { log, entry } of this.#boxes.get(`thread ${id}`)?.kept ?? []) this.#unasked(id, log, entry);
    this.#boxes.delete(`thread ${id}`);
    this.#boxes.delete(`customer ${customerId}`);
  }

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const thread = "threadId" in entry ? entry.threadId : threadOfRequest(entry);
    const mailbox = this.#boxes.get(thread === null ? customerOf(entry) : `thread ${thread}`);
    if (mailbox !== undefined) mailbox.hear(log, entry);
    else if (thread !== null) this.#unasked(thread, log, entry);
  }

  /** Counts an entry that no step has asked for, if it is a visible message. */
  #unasked(thread: string, log: LogName, entry: Logs[LogName]): void {
    if (log === "requests" && this.matches(log, visibleMessages(thread), entry as RequestRecord))
      this.tally.unasked += 1;
  }

  /** Ends all waits, or only those of steps that watch for nothing to come. */
  closeAll(options: { readonly onlyWatched?: boolean } = {}): void {
    for (const mailbox of this.#boxes.values()) mailbox.close(options);
  }
}

function customerOf(entry: RequestRecord | DeliveryRecord): string {
  const [, customer = ""] = ("path" in entry && /\/customers\/([^/]+)/.exec(entry.path)) || [];
  return `customer ${decodedPart(customer)}`;
}

/** An entry, and when it was received. */
interface Heard<L extends LogName = LogName> {
  readonly log: L;
  readonly entry: Logs[L];
  readonly at: number;
}

interface Waiter {
  /** Whether a step watches for nothing to come, instead of waiting for something. */
  readonly isWatching: boolean;
  readonly hear: (heard: Heard) => void;
  readonly end: () => void;
}

/** The calls and deliveries about one customer's thread, in order of arrival. */
class Mailbox {
  /** What no step has used. */
  kept: readonly Heard[] = [];
  #waiter: Waiter | undefined;
  /** Once it is, waits end at once. */
  isClosed = false;

  constructor(private readonly matches: Feed["matches"]) {}

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const heard = { log, entry, at: monotonicNow() };
    // A delivery is reported at each change.
    const others = this.kept.filter((kept) => log === "requests" || kept.entry.id !== entry.id);
    this.kept = [...others, heard].slice(-BOUNDS.loadUnasked.limit);
    this.#waiter?.hear(heard);
  }

  /** The oldest `count` matching entries after `since`, once they are there; fewer if the time is up or it is closed. */
  find<L extends LogName>(
    log: L,
    match: object,
    wait: { readonly timeoutMs: number; readonly count?: number; readonly since?: number },
  ): Promise<readonly Heard<L>[]> {
    const { timeoutMs, count = 1, since = Number.NEGATIVE_INFINITY } = wait;
    const fits = (heard: Heard): heard is Heard<L> =>
      heard.log === log && heard.at > since && this.matches(log, match, heard.entry as Logs[L]);
    const found = this.kept.filter(fits).slice(0, count);
    return new Promise((resolve) => {
      if (found.length === count || this.isClosed) return resolve(found);
      const end = () => {
        timeout.cancel();
        this.#waiter = undefined;
        resolve(found);
      };
      const timeout = later(timeoutMs, end);
      const hear = (heard: Heard) => {
        if (fits(heard) && found.push(heard) === count) end();
      };
      this.#waiter = { isWatching: wait.since !== undefined, hear, end };
    });
  }

  /** Removes entries that a step has used. */
  use(found: readonly Heard[]): void {
    this.kept = this.kept.filter((heard) => !found.includes(heard));
  }

  close({ onlyWatched = false }): void {
    if (onlyWatched && !this.#waiter?.isWatching) return;
    this.isClosed = true;
    this.#waiter?.end();
  }
}

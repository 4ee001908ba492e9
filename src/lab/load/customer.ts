/** One customer of a load test, and the calls and deliveries about its thread. */

import type { LogName, Logs, TakeOptions } from "../../client/consumed-entries.js";
import { SimError } from "../../client/errors.js";
import type { Method } from "../../client/http.js";
import type { DeliveryRecord, RequestRecord } from "../../client/types.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { valueAt } from "../../kernel/json.js";
import type { Later } from "../../kernel/realtime.js";
import { later, monotonicNow } from "../../kernel/realtime.js";
import { visibleMessages } from "../../protocol/replies.js";
import type { ApiAnswer, ApiCall } from "../../scenarios/http.js";
import type { Outcome } from "../../scenarios/report.js";
import { StepFailure } from "../../scenarios/report.js";
import type { EngineParts, ParsedStep } from "../../scenarios/step.js";
import { isPassive, StepEngine } from "../../scenarios/step.js";
import type { Finish } from "./arrivals.js";
import type { Ending, FailureKind, Tally } from "./tally.js";
import type { OwnThread } from "./threads.js";

/** What the customers of a load test have in common. */
export type Surroundings = Pick<EngineParts, "transport" | "target" | "send"> & {
  readonly tally: Tally;
  /** Once it has passed, no customer says anything more. */
  readonly finish: Finish;
};

/** What a customer plays: the steps with its own thread in them. */
export interface Part extends Pick<EngineParts, "token" | "within"> {
  readonly steps: readonly ParsedStep[];
}

/** The load test is over before the conversation is. */
class Unfinished extends Error {
  override readonly name = "Unfinished";
}

/** Plays a scenario once, on a thread of its own, in real time, in a sandbox that it shares. */
export class Customer extends StepEngine {
  readonly consumed: StepEngine["consumed"];
  readonly #steps: readonly ParsedStep[];
  readonly #mailbox: Mailbox;
  readonly #tally: Tally;
  readonly #finish: Finish;
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
    { steps, ...part }: Part,
    mailbox: Mailbox,
    { tally, finish, ...surroundings }: Surroundings,
    due = monotonicNow(),
  ) {
    super({ ...surroundings, ...part, thread: id });
    this.#steps = steps;
    this.#mailbox = mailbox;
    this.#tally = tally;
    this.#finish = finish;
    this.#due = due;
    this.consumed = { take: (log, match, options) => this.#take(log, match, options), isTaken: () => false };
    this.values.set("threadNumber", Number(id));
  }

  /** @throws SimError where the simulator does not answer at all */
  async play(): Promise<Ending> {
    try {
      // Its thread was made ahead of time.
      if (this.#due > monotonicNow()) await this.pause(0);
      await this.execute(this.#steps);
      return { how: "done" };
    } catch (error) {
      if (error instanceof Unfinished) return { how: "unfinished" };
      const isAnswered = error instanceof SimError && error.status !== null;
      if (!(error instanceof StepFailure) && !isAnswered) throw error;
      const { kind, place } = this.#step as ParsedStep;
      return { how: "failed", kind: this.#failureKind(), step: kind.key, place, message: error.message };
    }
  }

  #failureKind(): FailureKind {
    if (!this.#step?.kind.timesReply) return "other";
    return this.#missedReply ? "timeout" : "wrong";
  }

  /** @throws what a step throws, or Unfinished: the first failure ends the conversation */
  async execute(steps: readonly ParsedStep[]): Promise<boolean> {
    for (const step of steps) {
      if (this.#finish.passed && !isPassive(step.kind)) throw new Unfinished();
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

  async #take<L extends LogName>(log: L, match: object, options: TakeOptions) {
    const found = await this.#mailbox.take(log, match, options);
    const isMet = found.length >= (options.count ?? 1);
    const [first] = found;
    const isReply = this.#step?.kind.timesReply === true;
    this.#missedReply = isReply && !isMet;
    if (!isMet && this.#mailbox.isClosed) throw new Unfinished();
    if (this.#missedReply && this.#spokenAt !== undefined)
      this.#tally.waited(monotonicNow() - this.#spokenAt);
    if (isMet && first !== undefined) {
      const last = found.at(-1)?.at ?? 0;
      this.#since = Math.max(this.#since, last);
      this.#due = Math.max(this.#due, last);
      if (isReply) this.#tally.replied(this.sinceSpoken(first.at));
    }
    const fresh = found.map(({ entry }) => entry);
    const entry = isMet ? fresh[0] : undefined;
    const agesMs = found.map(({ at }) => monotonicNow() - at);
    return {
      met: isMet,
      matches: fresh,
      agesMs,
      fresh,
      entry,
      nearMisses: [],
      evicted: undefined,
      hints: [],
    };
  }

  async next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined> {
    const end = this.#due + timeoutMs;
    const entry = await this.#mailbox.next(log, match, this.#since, Math.max(0, end - monotonicNow()));
    if (entry === undefined && this.#mailbox.isClosed) throw new Unfinished();
    this.#due = entry === undefined ? end : monotonicNow();
    await this.passed();
    return entry;
  }

  async passed(): Promise<void> {
    this.#since = monotonicNow();
  }

  async pause(ms: number): Promise<void> {
    this.#due += ms;
    const left = Math.max(0, this.#due - monotonicNow());
    if (!(await this.#finish.pause(left))) throw new Unfinished();
    await this.passed();
  }

  spoken(): void {
    this.#spokenAt = this.#dueOfCall;
    this.#tally.wrote(monotonicNow() - this.#dueOfCall);
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
  readonly #matches: Feed["matches"];
  readonly #onUnasked: (count: number) => void;

  /** @param onUnasked told of visible messages that no step asked for */
  constructor(matches: Feed["matches"], onUnasked: (count: number) => void) {
    this.#matches = matches;
    this.#onUnasked = onUnasked;
  }

  open({ id, customerId }: OwnThread): Mailbox {
    const mailbox = new Mailbox(this.#matches);
    this.#boxes.set(`thread ${id}`, mailbox).set(`customer ${customerId}`, mailbox);
    return mailbox;
  }

  close({ id, customerId }: OwnThread): void {
    const left = this.#boxes.get(`thread ${id}`)?.left(visibleMessages(id)) ?? 0;
    if (left > 0) this.#onUnasked(left);
    this.#boxes.delete(`thread ${id}`);
    this.#boxes.delete(`customer ${customerId}`);
  }

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const thread = threadOf(entry);
    const mailbox = this.#boxes.get(thread === undefined ? customerOf(entry) : `thread ${thread}`);
    if (mailbox !== undefined) mailbox.hear(log, entry);
    else if (log === "requests" && thread !== undefined)
      if (this.#matches("requests", visibleMessages(thread), entry as RequestRecord)) this.#onUnasked(1);
  }

  /** Ends pending waits, those that take entries only with `alsoTaking`. */
  closeAll(options: { readonly alsoTaking?: boolean } = {}): void {
    for (const mailbox of this.#boxes.values()) mailbox.close(options);
  }
}

/** The thread that a call or delivery is about, if it names one. */
function threadOf(entry: RequestRecord | DeliveryRecord): string | undefined {
  if ("threadId" in entry) return entry.threadId;
  const { body, query } = entry as RequestRecord;
  const named = valueAt(body, ["customerThreadId"]) ?? query.customerThreadId;
  return named === undefined ? undefined : String(named);
}

function customerOf(entry: RequestRecord | DeliveryRecord): string {
  const [, customer = ""] = ("path" in entry && /\/customers\/([^/]+)/.exec(entry.path)) || [];
  return `customer ${decodeURIComponent(customer)}`;
}

/** An entry, and when it was received. */
interface Heard {
  readonly log: LogName;
  readonly entry: Logs[LogName];
  readonly at: number;
}

interface Waiter {
  readonly log: LogName;
  readonly match: object;
  readonly count: number;
  /** It uses up what it finds, and continues after the finish. */
  readonly isTaking: boolean;
  readonly found: Heard[];
  readonly resolve: (found: readonly Heard[]) => void;
  readonly timeout: Later;
}

/** How many unused entries are kept. */
const MAX_KEPT = BOUNDS.loadUnasked.limit;

/** The calls and deliveries about one customer's thread, in order of arrival. */
class Mailbox {
  readonly #matches: Feed["matches"];
  #kept: Heard[] = [];
  #waiter: Waiter | undefined;
  /** Whether the last wait was ended before its time was up. */
  isClosed = false;

  constructor(matches: Feed["matches"]) {
    this.#matches = matches;
  }

  /** How many matching calls no step has taken. */
  left(match: object): number {
    return this.#kept.filter((heard) => this.#fits(heard, "requests", match)).length;
  }

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const heard = { log, entry, at: monotonicNow() };
    if (log === "deliveries") this.#kept = this.#kept.filter((kept) => kept.entry.id !== entry.id);
    this.#kept.push(heard);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    const waiter = this.#waiter;
    if (waiter === undefined || !this.#fits(heard, waiter.log, waiter.match)) return;
    waiter.found.push(heard);
    if (waiter.found.length >= waiter.count) this.#settle(waiter);
  }

  /** Takes the oldest matching entries once there are `count`; returns fewer on timeout. */
  async take<L extends LogName>(log: L, match: object, { count = 1, timeoutMs }: TakeOptions) {
    const there = this.#kept.filter((heard) => this.#fits(heard, log, match));
    const found =
      there.length >= count
        ? there.slice(0, count)
        : await this.#wait({ log, match, count, isTaking: true, found: there }, timeoutMs);
    if (found.length >= count) this.#kept = this.#kept.filter((heard) => !found.includes(heard));
    return found as readonly (Heard & { readonly entry: Logs[L] })[];
  }

  /** The first matching entry after `since`; undefined on timeout. */
  async next<L extends LogName>(
    log: L,
    match: object,
    since: number,
    timeoutMs: number,
  ): Promise<Logs[L] | undefined> {
    const there = this.#kept.find((heard) => heard.at > since && this.#fits(heard, log, match));
    const wanted = { log, match, count: 1, isTaking: false, found: [] };
    const heard = there ?? (await this.#wait(wanted, timeoutMs))[0];
    return heard?.entry as Logs[L] | undefined;
  }

  /** Ends the pending wait, one that takes entries only with `alsoTaking`. */
  close({ alsoTaking = false } = {}): void {
    const waiter = this.#waiter;
    if (waiter === undefined || (waiter.isTaking && !alsoTaking)) return;
    this.isClosed = true;
    this.#settle(waiter);
  }

  #wait(wanted: Omit<Waiter, "resolve" | "timeout">, timeoutMs: number) {
    return new Promise<readonly Heard[]>((resolve) => {
      const timeout = later(timeoutMs, () => this.#settle(waiter));
      const waiter: Waiter = { ...wanted, resolve, timeout };
      this.#waiter = waiter;
      this.isClosed = false;
    });
  }

  #settle(waiter: Waiter): void {
    waiter.timeout.cancel();
    this.#waiter = undefined;
    waiter.resolve(waiter.found);
  }

  #fits(heard: Heard, log: LogName, match: object): boolean {
    return heard.log === log && this.#matches(log, match, heard.entry);
  }
}

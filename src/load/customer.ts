/** One customer of a load, who goes through a scenario once, on a thread of its own, in real time. */
import type { LogName, Logs, TakeOptions } from "../client/consumed-entries.js";
import { SimError } from "../client/errors.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { Duration } from "../kernel/duration.js";
import { monotonicNow } from "../kernel/realtime.js";
import type { ApiAnswer, ApiCall, Outcome, ParsedStep, StepContext } from "../scenarios/step.js";
import { isPassive, StepFailure, waitMs } from "../scenarios/step.js";
import { Values } from "../scenarios/values.js";
import type { Finish } from "./finish.js";
import type { Mailbox } from "./mailbox.js";
import type { Ending, FailureKind, Tally } from "./tally.js";
import type { OwnThread } from "./threads.js";

/** What the customers of a load have in common. */
export interface Surroundings {
  /** The control API of the sandbox. */
  readonly transport: Transport;
  readonly tally: Tally;
  /** When it has come, no customer says anything any more. */
  readonly finish: Finish;
  callApi(call: ApiCall, token: string | undefined): Promise<ApiAnswer>;
}

/** What a customer plays: the steps with its own thread in them. */
export interface Part {
  readonly steps: readonly ParsedStep[];
  readonly token: string | undefined;
  readonly within: Duration | undefined;
}

/** The load is over before the conversation is. */
class Unfinished extends Error {
  override readonly name = "Unfinished";
}

export class Customer implements StepContext {
  readonly thread: string;
  readonly transport: Transport;
  readonly consumed: StepContext["consumed"];
  readonly #part: Part;
  readonly #mailbox: Mailbox;
  readonly #surroundings: Surroundings;
  readonly #values = new Values();
  #step: ParsedStep | undefined;
  /** When the next thing was due, however late it comes: latencies count from there. */
  #due: number;
  /** When the last message was due that a reply answers. */
  #spokenAt: number | undefined;
  #dueOfCall = 0;
  #repliedAt = 0;
  #missedReply = false;

  constructor(
    { id }: OwnThread,
    part: Part,
    mailbox: Mailbox,
    surroundings: Surroundings,
    due = monotonicNow(),
  ) {
    this.thread = id;
    this.#part = part;
    this.#mailbox = mailbox;
    this.#surroundings = surroundings;
    this.#due = due;
    this.transport = surroundings.transport;
    this.consumed = { take: (log, match, options) => this.#take(log, match, options), isTaken: () => false };
    this.#values.set("thread", id);
    this.#values.set("threadNumber", Number(id));
  }

  /** @throws SimError where the simulator does not answer at all */
  async play(): Promise<Ending> {
    try {
      await this.#execute(this.#part.steps);
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

  async #execute(steps: readonly ParsedStep[]): Promise<void> {
    for (const step of steps) {
      if (this.#surroundings.finish.hasCome && !isPassive(step.kind)) throw new Unfinished();
      this.#step = step;
      const input = this.#values.inputOf(step);
      const result = await step.kind.run(this, input, step);
      if (step.id !== undefined && result?.outcome !== undefined) this.#values.set(step.id, result.outcome);
    }
  }

  repeat(times: number, steps: readonly ParsedStep[]): Promise<void> {
    return this.#values.repeat(times, steps, async (round) => {
      await this.#execute(round);
      return true;
    });
  }

  async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    this.#dueOfCall = this.#due;
    const answer = await this.transport.answer(method, path, { body });
    this.#due = monotonicNow();
    return { ...answer };
  }

  async callApi(call: ApiCall): Promise<ApiAnswer> {
    const answer = await this.#surroundings.callApi(call, this.#part.token);
    this.#due = monotonicNow();
    return answer;
  }

  async #take<L extends LogName>(log: L, match: object, options: TakeOptions) {
    const found = await this.#mailbox.take(log, match, options);
    const isMet = found.length >= (options.count ?? 1);
    const [first] = found;
    const isReply = this.#step?.kind.timesReply === true;
    this.#missedReply = isReply && !isMet;
    if (!isMet && this.#surroundings.finish.hasCome) throw new Unfinished();
    if (isMet && first !== undefined) {
      this.#repliedAt = first.at;
      this.#due = Math.max(this.#due, found.at(-1)?.at ?? 0);
      if (isReply)
        this.#surroundings.tally.replied(this.#spokenAt === undefined ? undefined : this.sinceSpoken());
    }
    const fresh = found.map(({ entry }) => entry);
    const entry = isMet ? fresh[0] : undefined;
    return { met: isMet, matches: fresh, fresh, entry, nearMisses: [], evicted: undefined, hints: [] };
  }

  async next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined> {
    const end = this.#due + timeoutMs;
    const entry = await this.#mailbox.next(log, match, Math.max(0, end - monotonicNow()));
    if (entry === undefined && this.#surroundings.finish.hasCome) throw new Unfinished();
    this.#due = entry === undefined ? end : monotonicNow();
    return entry;
  }

  async pause(ms: number): Promise<void> {
    this.#due += ms;
    const left = Math.max(0, this.#due - monotonicNow());
    if (!(await this.#surroundings.finish.pause(left))) throw new Unfinished();
  }

  spoken(): void {
    this.#spokenAt = this.#dueOfCall;
    this.#surroundings.tally.wrote(monotonicNow() - this.#dueOfCall);
  }

  sinceSpoken(): number {
    return this.#spokenAt === undefined ? 0 : Math.max(0, this.#repliedAt - this.#spokenAt);
  }

  threadId(named: string | number | undefined): string {
    return String(named ?? this.thread);
  }

  within(own: Duration | undefined): number {
    return waitMs(own, this.#part.within);
  }

  keep(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  // What follows makes sense where one run has a sandbox to itself.
  armed(): void {}
  metBy(): void {}
  setClock(): void {}
  async settleFaults(): Promise<void> {}
  async lookedFor(): Promise<void> {}
  async readClock(): Promise<void> {}
  async reset(): Promise<void> {}
}

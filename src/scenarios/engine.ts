/** Runs steps. When each may begin, where its entries come from and what is timed is up to the schedule that extends it. */
import type { LogName, Logs } from "../client/consumed-entries.js";
import type { Method } from "../client/http.js";
import type { Transport } from "../client/transport.js";
import type { Duration } from "../kernel/duration.js";
import type { HttpAnswer, HttpCall, Target } from "./http.js";
import { callApi } from "./http.js";
import { Values } from "./placeholders.js";
import type { ApiAnswer, ApiCall, Outcome, ParsedStep, Ran, StepContext } from "./step.js";
import { waitMs } from "./step.js";

/** What the steps of one run or one conversation share. */
export interface EngineParts {
  /** The control API of the sandbox. */
  readonly transport: Transport;
  readonly target: Pick<Target, "url"> & { readonly sandbox: string };
  /** Sends calls to the simulated API. */
  readonly send: (call: HttpCall) => Promise<HttpAnswer>;
  readonly thread: string | undefined;
  /** The token of calls that name none. */
  readonly token: string | undefined;
  /** How long expectations wait that do not say so themselves. */
  readonly within: Duration | undefined;
}

/** @see StepContext */
export abstract class StepEngine implements StepContext {
  abstract readonly consumed: StepContext["consumed"];
  /** The threads that steps were about. */
  readonly threads = new Set<string>();
  protected readonly values = new Values();
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    if (parts.thread !== undefined) this.values.set("thread", parts.thread);
  }

  get thread(): string | undefined {
    return this.#parts.thread;
  }

  get transport(): Transport {
    return this.#parts.transport;
  }

  abstract next<L extends LogName>(log: L, match: object, timeoutMs: number): Promise<Logs[L] | undefined>;
  abstract pause(ms: number): Promise<void>;
  abstract spoken(): void;
  abstract sinceSpoken(): number;
  /** Runs steps in order. @returns whether the rest may go on */
  abstract execute(steps: readonly ParsedStep[]): Promise<boolean>;

  /** Runs one step, and keeps its outcome under its id. `admit` is told its input, and throws where it must not run. */
  protected async perform(step: ParsedStep, admit?: (input: ParsedStep["input"]) => unknown): Promise<Ran> {
    const input = this.values.inputOf(step);
    await admit?.(input);
    const result = await step.kind.run(this, input, step);
    if (step.id !== undefined && result !== undefined) this.values.set(step.id, result.outcome ?? {});
    return result;
  }

  async control(method: Method, path: string, body?: unknown): Promise<Outcome> {
    return { ...(await this.transport.answer(method, path, { body })) };
  }

  callApi(call: ApiCall): Promise<ApiAnswer> {
    const { target, token, send } = this.#parts;
    return callApi(call, { ...target, token, send });
  }

  threadId(named: string | number | undefined): string {
    const thread = String(named ?? this.thread);
    this.threads.add(thread);
    return thread;
  }

  within(own: Duration | undefined): number {
    return waitMs(own, this.#parts.within);
  }

  keep(name: string, value: unknown): void {
    this.values.set(name, value);
  }

  repeat(times: number, steps: readonly ParsedStep[]): Promise<void> {
    return this.values.repeat(times, steps, (round) => this.execute(round));
  }
}

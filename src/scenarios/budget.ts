import { nextTurn } from "../kernel/realtime.js";
import { StepFailure } from "./step.js";

/** What a run may take: so many steps, between which the event loop serves others, and until somebody ends it. */
export class Budget {
  readonly #maxSteps: number;
  readonly #ended = new AbortController();
  #steps = 0;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
  }

  /** Aborted, with the failure of the step that runs or would be next, when the run is over before its steps are. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  end(message: string, seen?: unknown): void {
    this.#ended.abort(new StepFailure(message, { seen }));
  }

  /** A step begins. @throws StepFailure when the run is over */
  async step(): Promise<void> {
    await nextTurn();
    if (this.#steps === this.#maxSteps)
      this.end(`the run has executed ${this.#maxSteps} steps, which is all that it may`);
    this.signal.throwIfAborted();
    this.#steps += 1;
  }

  /** What made a step fail: the end of the run, whatever else that came to. */
  causeOf(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }
}

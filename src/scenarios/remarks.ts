/** Notes what a run did not test although it looks as if: faults that never fired, expectations met by what is older. */
import type { LogName } from "../client/consumed-entries.js";
import type { Transport } from "../client/transport.js";
import type { FaultRule } from "../client/types.js";
import { numberOf } from "../kernel/entry-ids.js";
import { newestEntry } from "./entries.js";
import type { Remark, StepLocation } from "./report.js";

/** The step that a remark is about. */
interface About {
  readonly name: string;
  readonly place: StepLocation;
}

/** The newest entries at an instant; undefined for a log without any. */
type Marks = Readonly<Record<LogName, string | undefined>>;
const NO_MARKS: Marks = { requests: undefined, deliveries: undefined };

export class Remarks {
  readonly #transport: Transport;
  readonly #armed = new Map<string, About>();
  readonly #found = new Map<string, Remark>();
  #marks = NO_MARKS;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A step that does something begins, and an expectation follows it. */
  async mark(): Promise<void> {
    const [requests, deliveries] = await Promise.all([
      newestEntry(this.#transport, "requests"),
      newestEntry(this.#transport, "deliveries"),
    ]);
    this.#marks = { requests, deliveries };
  }

  armed(fault: string, step: About): void {
    this.#armed.set(fault, step);
  }

  /** Notes the rules that have never fired, those of before a reset included. */
  async settleFaults(): Promise<void> {
    if (this.#armed.size === 0) return;
    const rules = await this.#transport.call<FaultRule[]>("GET", "/faults");
    for (const { id, fired, seen } of rules) {
      const step = this.#armed.get(id);
      if (step === undefined || fired > 0) continue;
      const why =
        seen === 0 ? "nothing came that it fits" : `it fitted ${seen} and its conditions held for none`;
      this.#add("fault", step, `the fault never fired: ${why}`);
    }
    this.#armed.clear();
  }

  /** A reset is over: ids begin anew. */
  restart(): void {
    this.#marks = NO_MARKS;
  }

  metBy(log: LogName, { id, summary }: { readonly id: string; readonly summary: string }, step: About): void {
    if (numberOf(id) > numberOf(this.#marks[log])) return;
    this.#add(
      "expectation",
      step,
      `${step.name}: met by what is older than the step before (${id}: ${summary})`,
    );
  }

  /** A step was met because there is no record that there has ever been. */
  neverThere(what: string, step: About): void {
    this.#add("expectation", step, `${step.name}: there has never been a ${what}, as far as the run knows`);
  }

  get found(): readonly Remark[] {
    return [...this.#found.values()];
  }

  /** A step of a `repeat` is told of once. */
  #add(about: Remark["about"], { place }: About, message: string): void {
    const key = `${about} ${place.path}`;
    if (!this.#found.has(key)) this.#found.set(key, { about, message, place });
  }
}

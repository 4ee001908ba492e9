/** Finds what a passing run only seems to test: faults that never fired, expectations met by older entries. */

import type { LogName } from "../client/consumed-entries.js";
import type { Transport } from "../client/transport.js";
import type { FaultRule, Start } from "../client/types.js";
import { numberOf } from "../kernel/objects.js";
import type { Remark, StepReport } from "./report.js";

type About = Pick<StepReport, "name" | "place">;

export type Marks = Readonly<Partial<Record<LogName, string | undefined>>>;

const LOGS = ["/requests", "/deliveries", "/controls"];

export class Lints {
  readonly #transport: Transport;
  readonly #armed = new Map<string, About>();
  readonly #found = new Map<string, Remark>();
  /** Records, as `COLLECTION/ID`, that existed during the run. */
  readonly #seen = new Set<string>();
  /** The newest entries before the step before an expectation: only later ones should meet it. */
  marks: Marks = {};
  step: About = { name: "", place: { path: "" } };

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  armed(fault: string): void {
    this.#armed.set(fault, this.step);
  }

  /** Reports rules that never fired. Called before a reset removes them too. */
  async settleFaults(): Promise<void> {
    if (this.#armed.size === 0) return;
    const rules = await this.#transport.call<FaultRule[]>("GET", "/faults");
    for (const { id, fired, seen } of rules) {
      const step = this.#armed.get(id);
      if (step === undefined || fired > 0) continue;
      const why = seen === 0 ? "nothing matched it" : `it matched ${seen}, but its conditions never held`;
      this.#add("fault", step, `the fault never fired: ${why}`);
    }
    this.#armed.clear();
  }

  metBy(log: LogName, id: string, summary: string): void {
    if (numberOf(id) <= numberOf(this.marks[log]))
      this.#doubt(`met by an entry older than the step before (${id}: ${summary})`);
  }

  /** An expectation has looked for a record. */
  async lookedFor(collection: string, id: string, isThere: boolean): Promise<void> {
    const key = `${collection}/${id}`;
    if (isThere || this.#seen.has(key) || (await this.#hasExisted(collection, id))) this.#seen.add(key);
    else this.#doubt(`${key} never existed during the run`);
  }

  /** Whether an absent record was there at the start or is in any log: an id with a typo is not. */
  async #hasExisted(collection: string, id: string): Promise<boolean> {
    const { fixtures } = await this.#transport.call<Start>("GET", "/start");
    const atStart: readonly { readonly id: string }[] = Object(fixtures)[collection] ?? [];
    const word = new RegExp(`(?<![\\w-])${id.replace(/[^\w\s]/g, "\\$&")}(?![\\w-])`);
    let isKnown = atStart.some((record) => record.id === id);
    for (const log of LOGS) isKnown ||= word.test(JSON.stringify(await this.#transport.call("GET", log)));
    return isKnown;
  }

  get found(): readonly Remark[] {
    return [...this.#found.values()];
  }

  /** The expectation was met, but proves little. */
  #doubt(why: string): void {
    this.#add("expectation", this.step, `${this.step.name}: ${why}`);
  }

  /** Reports a step of a `repeat` only once. */
  #add(about: Remark["about"], { place }: About, message: string): void {
    const key = `${about} ${place.path}`;
    if (!this.#found.has(key)) this.#found.set(key, { about, message, place });
  }
}

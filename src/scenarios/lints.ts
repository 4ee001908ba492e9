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
    for (const { id, fired, seen, note } of rules) {
      const step = this.#armed.get(id);
      if (step === undefined || fired > 0) continue;
      if (note !== undefined) {
        this.#add("idle fault", step, `the fault ${note}`);
        continue;
      }
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
    if (isThere) this.#seen.add(key);
    if (this.#seen.has(key) || this.#found.has(keyOf("expectation", this.step))) return;
    if (await this.#hasExisted(collection, id)) this.#seen.add(key);
    else this.#doubt(`${key} never existed during the run`);
  }

  /** Whether an absent record is in any log or was there at the start: an id with a typo is not. */
  async #hasExisted(collection: string, id: string): Promise<boolean> {
    const word = new RegExp(`(?<![\\w-])${id.replace(/[^\w\s]/g, "\\$&")}(?![\\w-])`);
    for (const log of LOGS)
      if (word.test(JSON.stringify(await this.#transport.call("GET", log)))) return true;
    // The start may be large, and most records that are gone are in a log.
    const { fixtures } = await this.#transport.call<Start>("GET", "/start");
    const atStart: readonly { readonly id: string }[] = Object(fixtures)[collection] ?? [];
    return atStart.some((record) => record.id === id);
  }

  get found(): readonly Remark[] {
    return [...this.#found.values()];
  }

  /** The expectation was met, but proves little. */
  #doubt(why: string): void {
    this.#add("expectation", this.step, `${this.step.name}: ${why}`);
  }

  /** Reports a step of a `repeat` only once. */
  #add(about: Remark["about"], step: About, message: string): void {
    const key = keyOf(about, step);
    if (!this.#found.has(key)) this.#found.set(key, { about, message, place: step.place });
  }
}

const keyOf = (about: Remark["about"], { place }: About): string => `${about} ${place.path}`;

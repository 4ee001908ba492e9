/** Finds what a passing run only seems to test: faults that never fired, expectations met by older entries. */

import type { LogName } from "../client/consumed-entries.js";
import type { Transport } from "../client/transport.js";
import type { FaultRule } from "../client/types.js";
import { numberOf } from "../kernel/objects.js";
import { segment } from "../protocol/names.js";
import type { Remark, StepLocation } from "./report.js";

/** The step that a remark is about. */
interface About {
  readonly name: string;
  readonly place: StepLocation;
}

/** A record by its collection and id. */
export interface RecordName {
  readonly collection: string;
  readonly id: string;
}

/** The id of the newest entry of a log. */
export async function newestEntry(transport: Transport, log: LogName): Promise<string | undefined> {
  const [entry] = await transport.call<{ id: string }[]>("GET", `/${log}`, { query: { limit: 1 } });
  return entry?.id;
}

export type Marks = Readonly<Record<LogName, string | undefined>>;

export async function newestEntries(transport: Transport): Promise<Marks> {
  const [requests, deliveries] = await Promise.all([
    newestEntry(transport, "requests"),
    newestEntry(transport, "deliveries"),
  ]);
  return { requests, deliveries };
}

export const NO_MARKS: Marks = { requests: undefined, deliveries: undefined };

const LOGS = ["/requests", "/deliveries", "/controls"];

const BEFORE_ALL: About = { name: "", place: { path: "" } };

export class Lints {
  readonly #transport: Transport;
  readonly #armed = new Map<string, About>();
  readonly #found = new Map<string, Remark>();
  /** Records that steps expect to be absent. */
  readonly #absent: readonly RecordName[];
  /** Keys of records that were there during the run. */
  readonly #seen = new Set<string>();
  #marks = NO_MARKS;
  /** The running step. */
  #about: About = BEFORE_ALL;

  constructor(transport: Transport, absent: readonly RecordName[]) {
    this.#transport = transport;
    this.#absent = absent;
  }

  /** The run begins, or a reset has begun all ids anew. */
  async begin(): Promise<void> {
    this.#marks = NO_MARKS;
    for (const { collection, id } of this.#absent) {
      const path = `/data/${segment(collection)}/${segment(id)}`;
      const { status } = await this.#transport.answer("GET", path, { accept: [404] });
      if (status !== 404) this.#seen.add(`${collection}/${id}`);
    }
  }

  /** A step begins. */
  at(step: About): void {
    this.#about = step;
  }

  /** The step before an expectation begins: only later entries should meet the expectation. */
  mark(newest: Marks): void {
    this.#marks = newest;
  }

  armed(fault: string): void {
    this.#armed.set(fault, this.#about);
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
    if (numberOf(id) <= numberOf(this.#marks[log]))
      this.#doubt(`met by an entry older than the step before (${id}: ${summary})`);
  }

  async lookedFor(collection: string, id: string, isThere: boolean): Promise<void> {
    const key = `${collection}/${id}`;
    if (isThere) this.#seen.add(key);
    else if (!this.#seen.has(key) && !(await this.#isInLogs(id)))
      this.#doubt(`${key} never existed during the run`);
  }

  /** Whether a log names the id of an absent record: an id with a typo is in none. */
  async #isInLogs(id: string): Promise<boolean> {
    const word = new RegExp(`(?<![\\w-])${id.replace(/[^\w\s]/g, "\\$&")}(?![\\w-])`);
    for (const log of LOGS) {
      const entries = await this.#transport.call<readonly unknown[]>("GET", log);
      if (entries.some((entry) => word.test(JSON.stringify(entry)))) return true;
    }
    return false;
  }

  get found(): readonly Remark[] {
    return [...this.#found.values()];
  }

  /** The expectation was met, but proves little. */
  #doubt(why: string): void {
    this.#add("expectation", this.#about, `${this.#about.name}: ${why}`);
  }

  /** Reports a step of a `repeat` only once. */
  #add(about: Remark["about"], { place }: About, message: string): void {
    const key = `${about} ${place.path}`;
    if (!this.#found.has(key)) this.#found.set(key, { about, message, place });
  }
}

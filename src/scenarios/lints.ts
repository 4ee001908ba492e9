/** Finds what a passing run only seems to test: faults that never fired, expectations met by older entries. */

import type { LogName } from "../client/consumed-entries.js";
import type { Transport } from "../client/transport.js";
import type { FaultRule } from "../client/types.js";
import { numberOf } from "../kernel/objects.js";
import { segment } from "../protocol/names.js";
import { newestEntry } from "./entries.js";
import { isPlaceholder } from "./placeholders.js";
import type { Remark } from "./report.js";
import type { ParsedStep, RecordName } from "./step.js";

/** The step that a remark is about. */
type About = Pick<ParsedStep, "name" | "place">;

/** The latest entry of each log at some instant. */
type Marks = Readonly<Record<LogName, string | undefined>>;
const NO_MARKS: Marks = { requests: undefined, deliveries: undefined };

const BEFORE_ALL: About = { name: "", place: { path: "" } };

export class Lints {
  readonly #transport: Transport;
  readonly #armed = new Map<string, About>();
  readonly #found = new Map<string, Remark>();
  readonly #absences: AbsenceChecks;
  #marks = NO_MARKS;
  /** The running step. */
  #about: About = BEFORE_ALL;

  constructor(transport: Transport, steps: readonly ParsedStep[]) {
    this.#transport = transport;
    this.#absences = new AbsenceChecks(transport, steps);
  }

  /** The run begins, or a reset has begun all ids anew. */
  async begin(): Promise<void> {
    this.#marks = NO_MARKS;
    await this.#absences.begin();
  }

  /** A step begins. */
  at(step: About): void {
    this.#about = step;
  }

  /** The step before an expectation begins: only later entries should meet the expectation. */
  async mark(): Promise<void> {
    const [requests, deliveries] = await Promise.all([
      newestEntry(this.#transport, "requests"),
      newestEntry(this.#transport, "deliveries"),
    ]);
    this.#marks = { requests, deliveries };
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
    if (isThere) this.#absences.saw({ collection, id });
    else if (!(await this.#absences.wasThere({ collection, id })))
      this.#doubt(`${collection}/${id} never existed during the run`);
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

const keyOf = ({ collection, id }: RecordName): string => `${collection}/${id}`;

const LOGS = ["/requests", "/deliveries", "/controls"];

class AbsenceChecks {
  readonly #transport: Transport;
  readonly #expected: readonly RecordName[];
  readonly #seen = new Set<string>();

  constructor(transport: Transport, steps: readonly ParsedStep[]) {
    this.#transport = transport;
    this.#expected = steps.flatMap(absentIn);
  }

  /** Notes which of the records exist at the start. */
  async begin(): Promise<void> {
    for (const { collection, id } of this.#expected) {
      const path = `/data/${segment(collection)}/${segment(id)}`;
      const { status } = await this.#transport.answer("GET", path, { accept: [404] });
      if (status !== 404) this.saw({ collection, id });
    }
  }

  saw(record: RecordName): void {
    this.#seen.add(keyOf(record));
  }

  /** Whether an absent record ever existed, as far as the run and the logs show: an id with a typo never did. */
  async wasThere(record: RecordName): Promise<boolean> {
    if (this.#seen.has(keyOf(record))) return true;
    const id = record.id.replace(/[^\w\s]/g, "\\$&");
    const word = new RegExp(`(?<![\\w-])${id}(?![\\w-])`);
    for (const log of LOGS) {
      const entries = await this.#transport.call<readonly unknown[]>("GET", log);
      if (entries.some((entry) => word.test(JSON.stringify(entry)))) return true;
    }
    return false;
  }
}

/** The records that a step and its inner steps expect to be absent, without placeholders: those name real records. */
function absentIn({ kind, input, steps = [] }: ParsedStep): RecordName[] {
  const record = kind.absent?.(input);
  const isKnown = record !== undefined && !isPlaceholder(record.collection) && !isPlaceholder(record.id);
  return [...(isKnown ? [record] : []), ...steps.flatMap(absentIn)];
}

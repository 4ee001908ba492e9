/** Tells records that are gone from those that never were: an id with a typo is absent at any time. */
import { segment } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import { isPlaceholder } from "./placeholders.js";
import type { ParsedStep, RecordName } from "./step.js";

const keyOf = ({ collection, id }: RecordName): string => `${collection}/${id}`;

/** The logs in which an id stands that was in use. */
const LOGS = ["/requests", "/deliveries", "/controls"];

export class Absences {
  readonly #transport: Transport;
  readonly #expected: readonly RecordName[];
  readonly #seen = new Set<string>();

  constructor(transport: Transport, steps: readonly ParsedStep[]) {
    this.#transport = transport;
    this.#expected = steps.flatMap(absentIn);
  }

  /** Looks which of the records are there as the run, or what comes after a reset, begins. */
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

  /** Whether a record that is absent was there at any time, as far as the run and the logs know. */
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

/** The records that a step and those inside it expect to be absent; an id that an outcome fills in was there. */
function absentIn({ kind, input, steps = [] }: ParsedStep): RecordName[] {
  const record = kind.absent?.(input);
  const isKnown = record !== undefined && !isPlaceholder(record.collection) && !isPlaceholder(record.id);
  return [...(isKnown ? [record] : []), ...steps.flatMap(absentIn)];
}

/** Tells records that are gone from those that never were: an id with a typo is absent at any time. */
import { segment } from "../client/address.js";
import type { Transport } from "../client/transport.js";
import { isObject } from "../kernel/json.js";
import { isPlaceholder } from "./placeholders.js";
import type { ParsedStep } from "./step.js";

/** A record that a step expects to be absent. */
interface Absent {
  readonly collection: string;
  readonly id: string;
}

const keyOf = ({ collection, id }: Absent): string => `${collection}/${id}`;

/** The logs in which an id stands that was in use. */
const LOGS = ["/requests", "/deliveries", "/controls"];

export class Absences {
  readonly #transport: Transport;
  readonly #expected: readonly Absent[];
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

  saw(record: Absent): void {
    this.#seen.add(keyOf(record));
  }

  /** Whether a record that is absent was there at any time, as far as the run and the logs know. */
  async wasThere(record: Absent): Promise<boolean> {
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
function absentIn({ kind, input, steps = [] }: ParsedStep): Absent[] {
  const { state } = input as { readonly state?: unknown };
  const inner = steps.flatMap(absentIn);
  if (kind.key !== "expect" || !isObject(state) || state.absent !== true) return inner;
  const [collection, id] = [String(state.collection), String(state.id)];
  return isPlaceholder(collection) || isPlaceholder(id) ? inner : [{ collection, id }, ...inner];
}

import { signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import type { CollectionName, RecordChange, Records } from "./types";

/** The page's copy of one collection of the sandbox, by id. */
export class Table<C extends CollectionName> {
  readonly #records = signal<ReadonlyMap<string, Records[C]>>(new Map());

  constructor(readonly collection: C) {}

  /** All records. A new map whenever one of them has changed. */
  get records(): ReadonlyMap<string, Records[C]> {
    return this.#records.value;
  }

  get(id: string): Records[C] | undefined {
    return this.records.get(id);
  }

  /** Reads the collection from the server; resolves with a function that replaces this copy. */
  async read(transport: Transport, signal: AbortSignal): Promise<() => void> {
    const records = await transport.call<Records[C][]>("GET", `/data/${this.collection}`, { signal });
    return () => {
      this.#records.value = new Map(records.map((record) => [record.id, record]));
    };
  }

  /** Adds records to those that are there. */
  add(records: readonly Records[C][]): void {
    const all = new Map(this.#records.peek());
    for (const record of records) all.set(record.id, record);
    this.#records.value = all;
  }

  apply(changes: readonly RecordChange[]): void {
    const own = changes.filter(({ collection }) => collection === this.collection);
    if (own.length === 0) return;
    const records = new Map(this.#records.peek());
    for (const { id, after } of own) {
      if (after === null) records.delete(id);
      else records.set(id, after as Records[C]);
    }
    this.#records.value = records;
  }
}

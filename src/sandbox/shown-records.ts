import type { WorldView } from "../domain/transaction.js";
import { withWindow } from "../domain/windows.js";
import type { IndexedRecord, IndexName } from "../world/indexes.js";
import { INDEXES } from "../world/indexes.js";
import type { CollectionName, Records, Thread } from "../world/records.js";
import type { RecordReader } from "../world/world.js";

/** The records as every reader outside sees them: a thread with its messaging window as it stands at this moment. */
export class ShownRecords implements RecordReader {
  readonly #view: WorldView;

  constructor(view: WorldView) {
    this.#view = view;
  }

  get<C extends CollectionName>(collection: C, id: string): Records[C] | undefined {
    const record = this.#view.get(collection, id);
    return record === undefined ? undefined : this.show(collection, record);
  }

  *all<C extends CollectionName>(collection: C): Generator<Records[C]> {
    for (const record of this.#view.all(collection)) yield this.show(collection, record);
  }

  *find<I extends IndexName>(index: I, key: string): Generator<IndexedRecord<I>> {
    const { collection } = INDEXES[index];
    for (const record of this.#view.find(index, key))
      yield this.show<CollectionName>(collection, record) as IndexedRecord<I>;
  }

  count(collection: CollectionName): number {
    return this.#view.count(collection);
  }

  /** One record, which need not be in the world any more. */
  show<C extends CollectionName>(collection: C, record: Records[C]): Records[C] {
    if (collection !== "threads") return record;
    return withWindow(this.#view, record as Thread) as Records[C];
  }
}

import type { Adapter } from "lowdb";
import { Low } from "lowdb";
import type { CollectionName, FixtureDocument } from "./records.js";
import { COLLECTIONS } from "./records.js";
import type { RecordReader } from "./world.js";
import { documentOf } from "./world.js";

/** Collections that a database is to hold in place of the world's own. */
type GivenCollections = { readonly [C in CollectionName]?: readonly object[] };

/** The world as the storage under a lowdb database. It can only be read: changes go through rules. */
class WorldAdapter implements Adapter<FixtureDocument> {
  readonly #records: RecordReader;

  constructor(records: RecordReader) {
    this.#records = records;
  }

  read(): Promise<FixtureDocument> {
    return Promise.resolve(documentOf(this.#records));
  }

  write(): Promise<void> {
    return Promise.reject(new Error("a database over a world can only be read"));
  }
}

/** A lowdb database whose data is a world's, as it stands when each collection is first asked for. For one query. */
export const openDatabase = (records: RecordReader, given: GivenCollections = {}): Low<FixtureDocument> =>
  new Low(new WorldAdapter(records), viewOf(records, given));

/** A fixture document that makes each array when it is first asked for. Listing its keys makes none: it shows none. */
function viewOf(records: RecordReader, given: GivenCollections): FixtureDocument {
  const view = Object.create(null) as FixtureDocument;
  for (const collection of COLLECTIONS) {
    let held: readonly object[] | undefined = given[collection];
    Object.defineProperty(view, collection, { get: () => (held ??= [...records.all(collection)]) });
  }
  return view;
}

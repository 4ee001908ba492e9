import type { FixtureDocument } from "../../src/service/world/records.js";
import { collectionsOf, type RecordReader } from "../../src/service/world/world.js";

/** All records as a fixture document. */
export const documentOf = (records: RecordReader): FixtureDocument =>
  collectionsOf(records) as unknown as FixtureDocument;

import type { FixtureDocument } from "../../src/world/fixture.js";
import type { RecordReader } from "../../src/world/world.js";
import { collectionsOf } from "../../src/world/world.js";

/** All records as a fixture document. */
export const documentOf = (records: RecordReader): FixtureDocument =>
  Object.fromEntries(
    Object.entries(collectionsOf(records)).map(([collection, list]) => [collection, [...list]]),
  ) as FixtureDocument;

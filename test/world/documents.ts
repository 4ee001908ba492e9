import { COLLECTIONS, type FixtureDocument } from "../../src/service/world/records.js";

/** A fixture document without any record. */
export const EMPTY = Object.fromEntries(COLLECTIONS.map((name) => [name, []])) as unknown as FixtureDocument;

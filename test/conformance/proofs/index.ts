import type { Proofs } from "../row.js";
import type { CHAPTERS } from "../rows/index.js";
import { service } from "./service.js";

/** A test for each row. */
export const PROOFS: { [C in keyof typeof CHAPTERS]: Proofs<(typeof CHAPTERS)[C]> } = { service };

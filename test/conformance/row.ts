/**
 * The rows of docs/reference/conformance.md: one for each testable sentence of the specification, in our own words. A chapter
 * has its rows in rows/ and its tests in proofs/, under the same ids. A row that says what is not shown needs no proof of its own:
 * conformance.test.ts shows for all of these that their entries could be otherwise, test/behaviour/policies.test.ts what each does.
 */
import type { OperationId } from "../../src/service/behaviour/entry.js";
import type { BehaviourKey } from "../../src/service/behaviour/table.js";
import type { Caller } from "../support/simulator.js";

/** What a sentence is about: an operation, an event's payload, or the entry that answers what the sentence leaves open. */
export type Subject = OperationId | BehaviourKey | "message event" | "transfer event" | "legacy delivery";

export type Row = readonly [says: string, ...about: readonly Subject[]];

/** The rows of a section: those that name nothing else are about `subject`. */
export const about = <const R extends Readonly<Record<string, string | Row>>>(
  subject: Subject,
  rows: R,
): { readonly [Id in keyof R]: Row } =>
  Object.fromEntries(
    Object.entries(rows).map(([id, row]) => [id, typeof row === "string" ? [row, subject] : row]),
  ) as never;

/** Rows by section of the specification, then by id. */
export type Chapter = Readonly<Record<string, Readonly<Record<string, Row>>>>;

export const rowsOf = (chapter: Chapter): [id: string, row: Row][] =>
  Object.values(chapter).flatMap((section) => Object.entries(section));

/** Shows from outside that the simulator does what a row says; it must assert something. */
export type Proof = (simulator: Caller) => Promise<void>;

type IdOf<C extends Chapter> = { [S in keyof C]: keyof C[S] }[keyof C] & string;
/** A proof for each row that has one, or the id of another row whose proof shows this one too. */
export type Proofs<C extends Chapter> = Readonly<Partial<Record<IdOf<C>, Proof | string>>>;

import type { UnusableDocument } from "../kernel/problems.js";

/** Where a sandbox is saved: a base document, and a log of later entries. */
export interface Store {
  readonly location: string;
  /** A base document replaces a log that is longer than this and than the previous document, in bytes: opening reads both. */
  readonly logBytes: number;
  list(): Promise<readonly string[]>;
  /**
   * What is stored under an id.
   *
   * @throws UnusableDocument, with file and location, if it is damaged or of another format
   */
  open(id: string): Promise<Stored>;
  /**
   * Appends an entry, JSON without line breaks, to the log. After an error, the same entry is passed again, or the sandbox is
   * rewritten as a whole: an entry whose fate is unknown is stored once.
   *
   * @throws LeaseHeldElsewhereError if another process holds the id now, and nothing was written; Vanished; the system error
   */
  append(id: string, entry: string): Promise<void>;
  /** The sizes of the log since the base document, and of that document, in bytes. */
  sizeOf(id: string): { readonly log: number; readonly base: number };
  /**
   * Starts another log: later entries belong after the base document that `compact` writes next. Until that is written, they
   * belong after everything before.
   */
  rotate(id: string): void;
  /** Replaces everything appended before the last `rotate` with a base document. @throws the system error */
  compact(id: string, base: BaseDocument): Promise<void>;
  /** Deletes everything under an id. @throws the system error */
  remove(id: string): Promise<void>;
  /**
   * Checks that this process still owns the store and that its files are there; undefined if that was checked just now.
   * @throws the system error
   */
  prove(mustLook: boolean): Promise<void> | undefined;
  /** Releases the store. */
  close(): Promise<void>;
}

/** What was stored is gone, or older than it was: only a base document with everything restores it. */
export class Vanished extends Error {
  override readonly name = "Vanished";
}

export interface Stored {
  readonly name: string;
  readonly base: unknown;
  /** The later entries, oldest first. */
  readonly entries: readonly unknown[];
  /** Problems that did not prevent reading it. */
  readonly damage?: UnusableDocument | undefined;
  /** The machine's time when it was last used, ms, as far as known. */
  readonly seenAt?: number;
}

/** A base document to be written: at the top, and in the objects below, any iterable is a list. */
export type BaseDocument = Readonly<Record<string, unknown>>;
/** The depth of its deepest lists: `simulator.start.state.messages.records`. */
export const LIST_LEVELS = 5;

/** How durable an acknowledged change is. */
export type Durability = (typeof DURABILITIES)[number];
export const DURABILITIES = ["batched", "strict"] as const;

/** Recognizes URLs: a Windows drive has a single letter. */
export const ADDRESS = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:valkey|redis)s?:)/i;
/** Addresses of servers, as an alternative to the path of a folder. */
export const SERVER_ADDRESS = /^(valkey|redis)(s?):\/\//i;

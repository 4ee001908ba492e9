import type { UnusableDocument } from "../kernel/problems.js";

/** What a sandbox is kept in beyond the process: a base document, and a log of the entries since. */
export interface Store {
  readonly location: string;
  /** A log may be so long before a base document takes its place, or as long as that document, bytes: opening reads both. */
  readonly logBytes: number;
  list(): Promise<readonly string[]>;
  /**
   * What is kept under an id.
   *
   * @throws UnusableDocument, with file and place, where it is damaged or of a newer format
   */
  open(id: string): Promise<Stored>;
  /**
   * Adds an entry, JSON without line breaks, to the end of the log. After an error the same entry is given again, or all of the
   * sandbox is written anew: an entry of which nobody knows whether it was added is there once.
   *
   * @throws LeaseHeldElsewhereError where another process has the id by now: nothing was written; the system's error
   */
  append(id: string, entry: string): Promise<void>;
  /** The size of the log since the base document, and of that, in bytes. */
  sizeOf(id: string): { readonly log: number; readonly base: number };
  /**
   * Begins another log: what is appended from now on belongs behind the base document that `compact` writes next. Until that
   * is there, it belongs behind all that came before.
   */
  rotate(id: string): void;
  /** Puts a base document in place of all that was appended before the last `rotate`. @throws the system's error */
  compact(id: string, base: BaseDocument): Promise<void>;
  /** Keeps all that is there under an id a second time, where nobody changes it any more. Resolves with the place. */
  copy(id: string, label: string): Promise<string>;
  /** Forgets all that is kept under an id. @throws the system's error */
  remove(id: string): Promise<void>;
  /**
   * Proves that this process still has the store and that what it has written is there; undefined where a look would be a
   * waste, since one was taken just now. @throws the system's error
   */
  prove(mustLook: boolean): Promise<void> | undefined;
  /** Lets others have it. */
  close(): Promise<void>;
}

export interface Stored {
  readonly name: string;
  readonly base: unknown;
  /** The entries since, oldest first. */
  readonly entries: readonly unknown[];
  /** What is wrong with it although it can be read. */
  readonly damage?: UnusableDocument | undefined;
  /** The machine's time when somebody last used it, ms, as far as is known. */
  readonly seenAt?: number;
}

/** A base document as it is written: at the top, and in the objects below, any iterable is a list. */
export type BaseDocument = Readonly<Record<string, unknown>>;

/** How safe an acknowledged change is. */
export type Durability = (typeof DURABILITIES)[number];
export const DURABILITIES = ["batched", "strict"] as const;

/** What is no path of a folder: a drive of Windows has one letter. */
export const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;
/** Addresses of servers, where else the path of a folder stands. */
export const SERVER_ADDRESS = /^(valkey|redis)(s?):\/\//i;

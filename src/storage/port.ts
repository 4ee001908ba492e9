import type { UnusableDocument } from "../kernel/problems.js";

/** What a sandbox is kept in beyond the process: a base document, and a log of the entries since. */
export interface Store {
  /** Where it is, for messages. */
  readonly location: string;
  /** A log may be so long before a base document takes its place, or as long as that document, bytes: opening reads both. */
  readonly logBytes: number;
  /** Which process has which id; left out where one process has the whole store. */
  readonly leases?: Leases;
  /** The ids of all that is kept. */
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
   * @throws LeaseLost; the system's error
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

/** So long a process has what it has taken, unless it renews its lease, ms. */
export const LEASE_MS = 10_000;

/** What became of the attempt to take an id: it is ours, there is nothing under it, there is something, another process has it. */
export type Claim = "held" | "absent" | "taken" | { readonly holder: string };

/**
 * Which of several processes has which id. Whoever takes an id gets a number that nobody had before, the fencing number, and
 * what is written under an older one changes nothing.
 */
export interface Leases {
  /** Takes an id; `create`: one under which there is nothing yet. @throws the system's error */
  acquire(id: string, create: boolean): Promise<Claim>;
  /** Whether the lease of an id has not run out, as far as this process knows. */
  isHeld(id: string): boolean;
  /** Renews a lease. Resolves with whether this process still has the id. @throws the system's error */
  renew(id: string): Promise<boolean>;
  /** Lets others take an id at once. @throws the system's error */
  release(id: string): Promise<void>;
  /** Asks the process that has an id to release it. */
  ask(holder: string, id: string): Promise<void>;
  /** Is told of what other processes ask for. */
  onAsked(listener: (id: string) => void): void;
  /** Says of an id what lists show of it. */
  note(id: string, text: string): Promise<void>;
  /** What was said of each id. */
  notes(): Promise<ReadonlyMap<string, string>>;
  /** A number that no process got before. */
  nextNumber(): Promise<number>;
  /** Resolves when the store answers. @throws the system's error */
  ping(): Promise<void>;
}

/** Another process has the id by now: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor(readonly id: string) {
    super(`another process has "${id}" by now`);
  }
}

/** What is kept under one id. */
export interface Stored {
  /** The name of the base document, for messages. */
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

/** What a sandbox is kept in beyond the process: a base document, and a log of the entries since. */
export interface Store {
  /** Where it is, for messages. */
  readonly location: string;
  /** The ids of all that is kept. */
  list(): Promise<readonly string[]>;
  /**
   * What is kept under an id.
   *
   * @throws UnusableDocument, with file and place, where it is damaged or of a newer format
   */
  open(id: string): Promise<Stored>;
  /** Adds an entry, JSON without line breaks, to the end of the log. @throws the system's error, and nothing is added */
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
  /** Lets others have it. */
  close(): Promise<void>;
}

/** What is kept under one id. */
export interface Stored {
  /** The name of the base document, for messages. */
  readonly name: string;
  readonly base: unknown;
  /** The entries since, oldest first. */
  readonly entries: readonly unknown[];
}

/** A base document as it is written: at the top, and in the objects below, any iterable is a list. */
export type BaseDocument = Readonly<Record<string, unknown>>;

/** How safe an acknowledged change is. */
export type Durability = (typeof DURABILITIES)[number];
export const DURABILITIES = ["batched", "strict"] as const;

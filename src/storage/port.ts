/** Where documents are stored: each side of the port has the same calls. */
export interface Store {
  readonly location: string;
  /** The ids of all documents. @throws the reason if the store cannot be used now */
  list(): Promise<readonly string[]>;
  /** A document's text, and what to call the document in messages. @throws UnusableDocument if it cannot be read */
  read(id: string): Promise<{ readonly name: string; readonly text: string }>;
  /**
   * Puts a document in place of the previous one, as a whole. When this resolves, it is on the disk, or in the server.
   * @throws LeaseHeldElsewhereError if another process holds the id now, and nothing was written; the system error
   */
  write(id: string, content: Buffer | string): Promise<void>;
  /** Deletes a document. @throws the same */
  remove(id: string): Promise<void>;
  /** Releases the store. */
  close(): Promise<void>;
  /** @throws the reason if another process has taken the store over, as far as this one can tell at once */
  check(): void;
}

/** How durable an acknowledged change is. */
export type Durability = (typeof DURABILITIES)[number];
export const DURABILITIES = ["batched", "strict"] as const;

/** Recognizes URLs: a Windows drive has a single letter. */
export const ADDRESS = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:valkey|redis)s?:)/i;
/** Addresses of servers, as an alternative to the path of a folder. */
export const SERVER_ADDRESS = /^(valkey|redis)(s?):\/\//i;

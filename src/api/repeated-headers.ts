import { costOfText } from "../kernel/cost.js";

/**
 * Lets calls of one operation share the texts of headers that repeat, which are most of what a journal entry would keep:
 * clients send the same ones with every call.
 */
export class RepeatedHeaders {
  readonly #last = new Map<string | undefined, readonly string[]>();
  /** What the list that was returned last costs beyond those before it, estimated in bytes. */
  cost = 0;

  /** `headers`, a flat list of names and values, or an equal list that shares what it can with the operation's last call. */
  shared(operation: string | undefined, headers: readonly string[]): readonly string[] {
    const last = this.#last.get(operation);
    const kept = last?.length === headers.length ? sharing(headers, last) : headers;
    this.cost = kept === last ? 0 : costBeside(kept, last ?? NO_HEADERS);
    if (kept !== last) this.#last.set(operation, kept);
    return kept;
  }
}

const NO_HEADERS: readonly string[] = [];

function costBeside(headers: readonly string[], last: readonly string[]): number {
  let bytes = 8 * headers.length;
  for (const [at, text] of headers.entries()) if (text !== last[at]) bytes += costOfText(text);
  return bytes;
}

function sharing(headers: readonly string[], last: readonly string[]): readonly string[] {
  const differs = headers.some((text, at) => text !== last[at]);
  // An equal text of the older list lets the newer one go.
  return differs ? headers.map((text, at) => (text === last[at] ? (last[at] as string) : text)) : last;
}

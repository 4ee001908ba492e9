import { estimateBytes } from "../kernel/size.js";

/** Headers as a journal entry keeps them. */
interface KeptHeaders {
  /** A flat list of names and values. */
  readonly list: readonly string[];
  /** What they cost beyond those that are kept already, estimated in bytes. */
  readonly bytes: number;
}

/**
 * Lets calls of one operation share the texts of headers that repeat, which are most of what a journal entry would keep:
 * clients send the same ones with every call.
 */
export class RepeatedHeaders {
  readonly #last = new Map<string | undefined, KeptHeaders>();

  /** The same list, or an equal one that shares what it can with the operation's last call. */
  shared(operation: string | undefined, list: readonly string[]): KeptHeaders {
    const last = this.#last.get(operation);
    const texts = last?.list ?? NO_HEADERS;
    if (last !== undefined && list.length === texts.length && list.every((text, at) => text === texts[at]))
      return last;
    // An equal text of the older list lets the newer one go.
    const kept = list.map((text, at) => (text === texts[at] ? texts[at] : text));
    this.#last.set(operation, { list: kept, bytes: 0 });
    return { list: kept, bytes: costBeside(kept, texts) };
  }
}

const NO_HEADERS: readonly string[] = [];

function costBeside(list: readonly string[], last: readonly string[]): number {
  let bytes = 8 * list.length;
  for (const [at, text] of list.entries()) if (text !== last[at]) bytes += estimateBytes(text);
  return bytes;
}

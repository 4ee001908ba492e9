import type { Alias, Document, ParsedNode } from "yaml";
import { isAlias, isMap, isSeq } from "yaml";
import { BOUNDS } from "./bounds.js";

/** So many values more than are written may aliases stand for. */
const MAX_REPEATED = BOUNDS.yamlAliases.limit;
/** What makes a YAML document unusable although it is YAML, and its offset in the text. */
interface Excess {
  readonly message: string;
  readonly offset: number;
}

/** An alias that stands inside of what it names, or aliases that multiply each other. */
export function excessIn(document: Document.Parsed<ParsedNode>): Excess | undefined {
  const walk = new Walk();
  walk.size(document.contents);
  return walk.excess;
}

class Walk {
  excess: Excess | undefined;
  /** The nodes that aliases can name, with how many values they hold; those that are still open hold themselves. */
  readonly #anchors = new Map<string, { values: number; open: boolean }>();
  #repeated = 0;

  /** How many values a node holds, with those that its aliases stand for. */
  size(node: ParsedNode | null): number {
    if (node === null) return 1;
    if (isAlias(node)) return this.#repeat(node);
    const { anchor } = node;
    const named = { values: 1, open: true };
    if (anchor !== undefined) this.#anchors.set(anchor, named);
    for (const part of partsOf(node)) named.values += this.size(part);
    named.open = false;
    return named.values;
  }

  #repeat(alias: Alias.Parsed): number {
    const name = alias.source;
    const named = this.#anchors.get(name);
    if (named === undefined) {
      this.#refuse(alias, `no anchor &${name} stands before the alias *${name}`);
      return 1;
    }
    const { values, open } = named;
    this.#repeated += values;
    if (open) this.#refuse(alias, `the alias *${name} stands inside of what it names`);
    else if (this.#repeated > MAX_REPEATED)
      this.#refuse(alias, `aliases stand for more than ${MAX_REPEATED} values`);
    return values;
  }

  #refuse({ range: [offset] }: Alias.Parsed, message: string): void {
    this.excess ??= { message, offset };
  }
}

function partsOf(node: ParsedNode): (ParsedNode | null)[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]);
  return isSeq(node) ? node.items : [];
}

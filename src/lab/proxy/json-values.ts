/** Finds the values in a text that is JSON, almost JSON, or has fields as in GraphQL documents. */
import { endOfText } from "../../kernel/json.js";
import type { View } from "./view.js";

/** What the names above a value say about it. */
interface Fields<Kind> {
  /** The kind of the value under a name in an object; `named`: the object's preceding field `name`. */
  readonly kindOf: (name: string, around: Kind, named: string) => Kind;
  readonly visit: (value: View, kind: Kind, form: "text" | "key" | "bare") => void;
}

interface Frame<Kind> {
  readonly isArray: boolean;
  readonly around: Kind;
  kind: Kind;
  key: string;
  named: string;
}

const BARE = /[^\s"{}[\],:()]+/y;
const WORDS_OF_JSON = new Set(["true", "false", "null"]);

/** Visits each value and key, its escapes decoded. */
export function visitValues<Kind>(view: View, start: Kind, { kindOf, visit }: Fields<Kind>): void {
  const { text } = view;
  const frames: Frame<Kind>[] = [];
  let frame: Frame<Kind> = { isArray: false, around: start, kind: start, key: "", named: "" };
  const enterKey = (name: string) => {
    frame.key = name;
    frame.kind = kindOf(name, frame.around, frame.named);
  };
  const isKey = (end: number) => {
    let at = end;
    while (/\s/.test(text.charAt(at))) at += 1;
    return !frame.isArray && text.charAt(at) === ":";
  };
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const quote = endOfText(text, at);
      const value = view.slice(at + 1, quote).unquoted();
      const form = isKey(quote + 1) ? "key" : "text";
      visit(value, form === "key" ? frame.around : frame.kind, form);
      if (form === "key") enterKey(value.text);
      else if (frame.key === "name") frame.named = value.text;
      at = quote + 1;
    } else if (sign === "{" || sign === "[") {
      frames.push(frame);
      const { kind, key } = frame;
      frame = { isArray: sign === "[", around: kind, kind, key: sign === "[" ? key : "", named: "" };
      at += 1;
    } else if (sign === "}" || sign === "]") {
      frame = frames.pop() ?? frame;
      at += 1;
    } else {
      BARE.lastIndex = at;
      const [bare] = BARE.exec(text) ?? [];
      if (bare === undefined) at += 1;
      else {
        const end = at + bare.length;
        if (isKey(end)) enterKey(bare);
        else if (!WORDS_OF_JSON.has(bare)) visit(view.slice(at, end), frame.kind, "bare");
        at = end;
      }
    }
  }
}

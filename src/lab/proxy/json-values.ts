/** Rewrites the values in a text that is JSON, almost JSON, or has fields as in GraphQL documents; everything else stays verbatim. */
import { endOfText } from "../../kernel/json.js";

/** What the names above a value say about it. */
interface Fields<Kind> {
  /** The kind of the value under a name in an object; `named`: the object's preceding field `name`. */
  readonly kindOf: (name: string, around: Kind, named: string) => Kind;
  readonly rewrite: (value: string, kind: Kind, form: "text" | "key" | "bare") => string;
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

/** The text with its values rewritten; unchanged values stay verbatim, including their escapes. */
export function rewriteValues<Kind>(text: string, start: Kind, { kindOf, rewrite }: Fields<Kind>): string {
  const frames: Frame<Kind>[] = [];
  let frame: Frame<Kind> = { isArray: false, around: start, kind: start, key: "", named: "" };
  const parts: string[] = [];
  let copied = 0;
  const replace = (from: number, to: number, by: string) => {
    parts.push(text.slice(copied, from), by);
    copied = to;
  };
  const enterKey = (name: string) => {
    frame.key = name;
    frame.kind = kindOf(name, frame.around, frame.named);
  };
  const isKey = (end: number) => {
    let at = end;
    while (/\s/.test(text.charAt(at))) at += 1;
    return text.charAt(at) === ":";
  };
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const end = Math.min(endOfText(text, at) + 1, text.length);
      const value = parsed(text.slice(at, end));
      const form = !frame.isArray && isKey(end) ? "key" : "text";
      const written = rewrite(value, form === "key" ? frame.around : frame.kind, form);
      if (written !== value) replace(at, end, JSON.stringify(written));
      if (form === "key") enterKey(value);
      else if (frame.key === "name") frame.named = value;
      at = end;
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
        if (!frame.isArray && isKey(end)) enterKey(bare);
        else if (!WORDS_OF_JSON.has(bare)) {
          const written = rewrite(bare, frame.kind, "bare");
          if (written !== bare) replace(at, end, written);
        }
        at = end;
      }
    }
  }
  return parts.join("") + text.slice(copied);
}

/** The value of a literal; of an invalid one, the text between its quotes. */
function parsed(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.replace(/^"|"$/g, "");
  }
}

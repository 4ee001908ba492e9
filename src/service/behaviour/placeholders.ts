import { valueAt } from "../../kernel/json.js";

/** What placeholders are looked up in: what a call made or met. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * A copy of a template with each `${a.b}` in its texts replaced by what `scope` holds there: by the value itself where
 * the placeholder is the whole text, by the value's text inside a longer one, by null or nothing where there is none.
 */
export function filled(template: unknown, scope: Scope): unknown {
  if (typeof template === "string") return filledText(template, scope);
  if (Array.isArray(template)) return template.map((item) => filled(item, scope));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, scope)]));
}

function filledText(text: string, scope: Scope): unknown {
  let result = "";
  let done = 0;
  for (let start = text.indexOf("${"); start >= 0; start = text.indexOf("${", done)) {
    const end = text.indexOf("}", start);
    if (end < 0) break;
    const value = valueAt(
      scope,
      text
        .slice(start + 2, end)
        .trim()
        .split("."),
    );
    if (start === 0 && end === text.length - 1) return value ?? null;
    result += text.slice(done, start) + textOf(value);
    done = end + 1;
  }
  return result + text.slice(done);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Patterns over names of challenges: `*` stands for any text. */

const fits = (pattern: string, name: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name) || name.startsWith(`${pattern}/`);
};

export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => fits(pattern, name));

/** The kind that a pattern names; undefined where it may name several. */
export function kindOfPattern(pattern: string): string | undefined {
  const [kind = ""] = pattern.split("/");
  return kind.includes("*") ? undefined : kind;
}

/** Patterns over names of challenges: `*` stands for any text. Earlier names of kinds count as their names of today. */
import type { ChallengeKind } from "./kind.js";
import { CHALLENGE_KINDS } from "./kinds.js";

const FORMER: ReadonlyMap<string, string> = new Map(
  Object.entries<ChallengeKind>(CHALLENGE_KINDS).flatMap(([name, { formerly }]) =>
    formerly === undefined ? [] : [[formerly, name]],
  ),
);

/** Stands between the names of two challenges that are tried at once. */
export const AND = " + ";

/** A name or pattern with the names of today. */
export const currentName = (name: string): string =>
  name
    .split(AND)
    .map((one) => {
      const [kind = "", ...subject] = one.split("/");
      return [FORMER.get(kind) ?? kind, ...subject].join("/");
    })
    .join(AND);

const fits = (pattern: string, name: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name) || name.startsWith(`${pattern}/`);
};

export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => fits(currentName(pattern), name));

/** The kind that a name is of. */
export const kindOfName = (name: string): string =>
  name
    .split(AND)
    .map((one) => one.split("/")[0])
    .join(AND);

/** The kind that a pattern names; undefined where it may name several. */
export function kindOfPattern(pattern: string): string | undefined {
  const [kind = ""] = currentName(pattern).split("/");
  return kind.includes("*") ? undefined : kind;
}

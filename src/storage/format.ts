import { isObject, valueAt } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { FORMAT, UPGRADES } from "./upgrades.js";

/** A base document, and the entries of its log. */
interface Kept {
  readonly base: unknown;
  readonly entries: readonly unknown[];
}

/** The format of a base document; undefined where it says none. */
export function formatOf(base: unknown): number | undefined {
  const format = valueAt(base, ["simulator", "format"]);
  return Number.isSafeInteger(format) ? (format as number) : undefined;
}

/** Whether there is a way from the format of a base document to the one of now. */
export const isOutdated = (base: unknown): boolean => UPGRADES.has(formatOf(base) ?? FORMAT);

/** What is kept, in the format of now; the same where no upgrade begins with its format. */
export function upgraded<K extends Kept>(kept: K): K {
  const format = formatOf(kept.base) ?? FORMAT;
  const upgrade = UPGRADES.get(format);
  if (upgrade === undefined || !isObject(kept.base)) return kept;
  const base = { ...kept.base, simulator: { ...(kept.base.simulator as object), format: format + 1 } };
  upgrade.base(base);
  const { change } = upgrade;
  const entries =
    change === undefined
      ? kept.entries
      : kept.entries.map((entry) => (entry as (readonly unknown[])[]).map(change));
  return upgraded({ ...kept, base, entries });
}

/** What is wrong with the format that a document says it has. */
export function formatProblems(format: unknown): Problem[] {
  if (!Number.isInteger(format) || Number(format) <= FORMAT) return [];
  return [
    problemAt(
      ["simulator", "format"],
      `is ${format}, written by a newer messaging-sim: this one reads up to ${FORMAT}. Use that version or a folder of its own`,
    ),
  ];
}

/** The bounds of everything that users can meet. */
import type { Bound } from "../../src/kernel/bounds.js";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { sizeText } from "../../src/kernel/units.js";
import { page, table } from "./markdown.js";

/** A limit with the unit that its name ends with. */
function limitOf(name: string, limit: number): string {
  const [unit = ""] = /(Bytes|Ms|Characters)$/.exec(name) ?? [];
  if (unit === "Bytes") return sizeText(limit);
  return `${limit.toLocaleString("en")} ${unit.toLowerCase()}`.trim();
}

const rowsOf = (bounds: Readonly<Record<string, Bound>>): string[][] =>
  Object.entries(bounds).map(([name, { what, limit, beyond }]) => [what, limitOf(name, limit), beyond]);

export const boundsPage = (): string =>
  page(
    "Bounds",
    "Every queue, log and call has a limit, so that no caller can bring down a shared simulator. This page lists each limit, its default, and what happens beyond it.",
    [
      "## Memory",
      "What is kept is bounded in number and in bytes, as the tables below list; `--journal-limit` limits the entries of each log, by default to 1,000. When 85 % of the heap are in use, calls that add something, if only to a log, get 503 with `Retry-After`; reads, deletions and resets go on. `NODE_OPTIONS=--max-old-space-size=MB` allows Node a larger heap. The metric `process_heap_bytes` shows the usage.",
    ],
    ["## Fixed", table(["limit on", "value", "beyond it"], rowsOf(BOUNDS))],
    [
      "## Limits of the service",
      "The simulated service's own limits are [behaviour entries](behaviour.md): `limits.rate`, `limits.bodyBytes`, `limits.textLength` and `limits.webhooks`.",
    ],
  );

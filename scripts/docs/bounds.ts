/** The bounds of everything that users can meet. */
import type { Bound } from "../../src/kernel/bounds.js";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { LOAD_BOUNDS } from "../../src/kernel/http/admission.js";
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
      "`--memory` limits the memory of all sandboxes, by default to half of the heap limit. Beyond it, the oldest entries of the largest log or sink are evicted first. State may use three quarters of it; beyond that, a write gets 503 with `Retry-After` from the simulated API and 507 from the control API. `--journal-limit` limits the entries of each log, by default to 10,000. The metrics `messaging_sim_memory_used_bytes`, `messaging_sim_memory_worlds_bytes` and `messaging_sim_memory_limit_bytes` show the current usage.",
    ],
    [
      "## Concurrency",
      "Health, metrics and the control API keep responding beyond them.",
      table(["limit on", "value", "beyond it"], rowsOf(LOAD_BOUNDS)),
    ],
    ["## Fixed", table(["limit on", "value", "beyond it"], rowsOf(BOUNDS))],
    [
      "## Limits of the service",
      "The simulated service's own limits are [behaviour entries](behaviour.md): `limits.rate`, `limits.bodyBytes`, `limits.textLength` and `limits.webhooks`.",
    ],
  );

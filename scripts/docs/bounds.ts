/** The bounds of everything that users can meet. */
import type { Bound } from "../../src/kernel/bounds.js";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { LOAD_BOUNDS } from "../../src/kernel/load-bounds.js";
import { code, page, table } from "./markdown.js";

const UNITS = [
  [1024 ** 2, "MiB"],
  [1024, "KiB"],
] as const;

function limitOf({ limit, unit }: Bound): string {
  const [size, name] = UNITS.find(([bytes]) => unit === "bytes" && limit % bytes === 0) ?? [1, unit ?? ""];
  return `${(limit / size).toLocaleString("en")} ${name}`.trim();
}

const rowOf = (bound: Bound): string[] => [bound.what, limitOf(bound), bound.beyond];

export const boundsPage = (): string =>
  page(
    "Bounds",
    "Everything that is kept, waits or is under way has a bound, so that no caller can bring a shared simulator down. This page has each that a user can meet, its default, and what happens beyond it.",
    [
      "## Memory",
      "`--memory` bounds what is kept over all sandboxes, by default to half of the heap limit: beyond it the oldest entries of the largest log or sink go first. Worlds may have three quarters of it: beyond that a write gets 503 with `Retry-After` from the simulated API and 507 from the control API. `--journal-limit` bounds the entries of each log, by default to 10,000. The metrics `messaging_sim_memory_used_bytes`, `messaging_sim_memory_worlds_bytes` and `messaging_sim_memory_limit_bytes` tell how much it is.",
    ],
    [
      "## At once",
      "`--bound NAME=NUMBER` changes them, `bound` in a config file and `bounds` of `createSimulator` too. Health, metrics and the control API go on answering beyond them.",
      table(
        ["name", "what", "default", "beyond it"],
        Object.entries(LOAD_BOUNDS).map(([name, bound]) => [code(name), ...rowOf(bound)]),
      ),
    ],
    ["## Fixed", table(["what", "bound", "beyond it"], Object.values<Bound>(BOUNDS).map(rowOf))],
    [
      "## Of the service",
      "`limits.rate`, `limits.bodyBytes`, `limits.textLength` and `limits.webhooks` are [behaviour](behaviour.md): what the simulated service itself refuses.",
    ],
  );

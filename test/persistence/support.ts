import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { plain } from "../sandboxes/observe.js";
import type { Running } from "../support/simulator.js";

/** A folder that goes with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a machine that stops now leaves of a folder. */
export function imageOf(folder: string): string {
  const image = newFolder();
  cpSync(folder, image, { recursive: true });
  rmSync(join(image, "lock"), { force: true });
  return image;
}

const ROUTES = "/state /clock /behaviour /faults /snapshots /start /deliveries?status=pending".split(" ");

/** Everything of a sandbox that outlasts the process. */
export async function observeKept(sim: Running, id: string): Promise<unknown> {
  const seen: Record<string, unknown> = {};
  for (const route of ROUTES) seen[route] = (await sim.control(`GET /sandboxes/${id}${route}`)).body;
  const { world, clock, outbox, sinks, faults } = sim.registry.get(id)!.run;
  return plain(
    {
      ...seen,
      sinks: [...sinks.settings.entries()],
      counters: world.counters,
      chance: faults.position,
      timers: clock.pending,
      idle: outbox.idle,
    },
    id,
  );
}

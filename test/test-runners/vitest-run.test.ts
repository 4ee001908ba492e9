/** Whole runs of vitest: what a user's project does, with files of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "vitest-run");
const VITEST = join(FOLDER, "..", "..", "..", "node_modules", "vitest", "vitest.mjs");

/** Runs both files of the folder; what that prints. */
async function outputWith(env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [VITEST, "run", "--root", FOLDER], {
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(output).toContain("2 passed");
  expect(code).toBe(0);
  return output;
}

/** The addresses that the files were served from. */
const addressesIn = (output: string): string[] =>
  [...output.matchAll(/served by (\S+)/g)].map(([, url]) => url as string);

const file = filesFor("vitest-coverage");

describe("a run of vitest", () => {
  it("has one simulator for all of its files, and tells of no coverage unasked", async () => {
    const output = await outputWith();
    expect(addressesIn(output)).toHaveLength(2);
    expect(new Set(addressesIn(output)).size).toBe(1);
    expect(output).not.toContain("coverage:");
  }, 60_000);

  it("uses the simulator that it is pointed at, and tells what that has met", async () => {
    const sim = await startSimulator();
    const output = await outputWith({ MESSAGING_SIM_COVERAGE: "1", MESSAGING_SIM_URL: sim.url });
    expect(addressesIn(output)).toEqual([sim.url, sim.url]);
    expect((await sim.control("GET /sandboxes")).body).toHaveLength(1);
    expect(output).toContain("coverage: 1 of");
  }, 60_000);

  it("tells once what all of its files have met, and writes it where that is asked", async () => {
    const path = file("coverage.json", "");
    const output = await outputWith({ MESSAGING_SIM_COVERAGE: path });
    expect(output.match(/coverage: 1 of \d+ outcomes met/g)).toHaveLength(1);
    expect(output).toContain("✓ message (customer)");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ met: 1 });
  }, 60_000);
});

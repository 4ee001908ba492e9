import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { findHaproxy } from "../../scripts/programs.mjs";
import { freePort } from "../support/free-port.js";
import type { Running } from "../support/simulator.js";
import { withCalls } from "../support/simulator.js";
import { until } from "../support/until.js";

export const CONFIG = join(import.meta.dirname, "..", "..", "deploy", "haproxy.cfg");

/** The proxy of deploy/ in front of processes. */
export async function startProxy(processes: readonly { readonly url: string }[], port?: number) {
  const program = findHaproxy();
  if (program === undefined) throw new Error("there is no HAProxy: run node scripts/programs.mjs all");
  const listen = port ?? (await freePort());
  const variables = processes.map(({ url }, at) => [`SIMULATOR_${at + 1}`, new URL(url).host]);
  const folder = mkdtempSync(join(tmpdir(), "haproxy-"));
  const socket = join(folder, "stats");
  const stats = join(folder, "stats.cfg");
  writeFileSync(stats, `global\n  stats socket ${socket}\n`);
  const child = spawn(program, ["-db", "-f", CONFIG, "-f", stats], {
    env: { PATH: process.env.PATH ?? "", LISTEN: `127.0.0.1:${listen}`, ...Object.fromEntries(variables) },
    stdio: "ignore",
  });
  const gone = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${listen}`;
  // Until its first check passes, a process that answers slowly counts as dead, and its calls fail.
  await until(async () => (await passing(socket)) >= processes.length);
  const { control, api } = withCalls({ url } as Running);
  return { url, control, api, stop };
}

/** The number of processes that have passed a check. */
async function passing(socket: string): Promise<number> {
  const stats = await text(connect(socket).end("show stat\n")).catch(() => "");
  return stats.split("\n").filter((line) => /,L7OK,/.test(line)).length;
}

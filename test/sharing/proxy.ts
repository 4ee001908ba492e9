import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findHaproxy } from "../../scripts/ensure-haproxy.mjs";
import { until } from "../persistence/command.js";
import { freePort } from "../support/free-port.js";
import type { Running } from "../support/simulator.js";
import { withCalls } from "../support/simulator.js";

const CONFIG = join(import.meta.dirname, "..", "..", "deploy", "haproxy.cfg");

export interface Proxy extends Pick<Running, "url" | "control" | "api"> {
  stop(): Promise<void>;
}

/** The proxy of deploy/ in front of processes: the first three by their variables, any other by a line more. */
export async function startProxy(
  processes: readonly { readonly url: string }[],
  port?: number,
): Promise<Proxy> {
  const program = findHaproxy();
  if (program === undefined) throw new Error("there is no HAProxy: run node scripts/ensure-haproxy.mjs");
  const folder = mkdtempSync(join(tmpdir(), "messaging-sim-proxy-"));
  const addresses = processes.map(({ url }) => new URL(url).host);
  const more = addresses.slice(3).map((address, at) => `  server simulator-${at + 4} ${address}\n`);
  const config = join(folder, "haproxy.cfg");
  writeFileSync(config, readFileSync(CONFIG, "utf8") + more.join(""));
  const listen = port ?? (await freePort());
  const variables = addresses.slice(0, 3).map((address, at) => [`SIMULATOR_${at + 1}`, address]);
  const child = spawn(program, ["-db", "-f", config], {
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
  await until(() =>
    fetch(`${url}/__sim/health`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const { control, api } = withCalls({ url } as Running);
  return { url, control, api, stop };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findHaproxy } from "../../scripts/programs.mjs";
import { freePort } from "../support/free-port.js";
import type { Running } from "../support/simulator.js";
import { withCalls } from "../support/simulator.js";
import { until } from "../support/until.js";

export const CONFIG = join(import.meta.dirname, "..", "..", "deploy", "haproxy.cfg");

export interface Proxy extends Pick<Running, "url" | "control" | "api"> {
  stop(): Promise<void>;
}

/** The proxy of deploy/ in front of processes. */
export async function startProxy(
  processes: readonly { readonly url: string }[],
  port?: number,
): Promise<Proxy> {
  const program = findHaproxy();
  if (program === undefined) throw new Error("there is no HAProxy: run node scripts/programs.mjs all");
  const listen = port ?? (await freePort());
  const variables = processes.map(({ url }, at) => [`SIMULATOR_${at + 1}`, new URL(url).host]);
  const child = spawn(program, ["-db", "-f", CONFIG], {
    env: { PATH: process.env.PATH ?? "", LISTEN: `127.0.0.1:${listen}`, ...Object.fromEntries(variables) },
    stdio: "ignore",
  });
  const gone = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await gone;
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

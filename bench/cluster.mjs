/**
 * Many processes on one server of `--data`: processes that are killed or stand still for longer than their lease, under load;
 * what the server costs: writes of one process with and without it, the time to open a sandbox, the memory of many; and what a
 * second process adds. With `--proxy` calls go through the HAProxy of deploy/ while processes are killed or stand still.
 * Usage: node bench/cluster.mjs [--rounds 100] [--sandboxes 500] [--many 20000] [--open 2000] [--seconds 3] [--only kill|cost|many|two] [--proxy]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findRedis } from "../scripts/programs.mjs";
import { cost } from "./cluster/cost.mjs";
import { killing } from "./cluster/kill.mjs";
import { many } from "./cluster/many.mjs";
import { freePort } from "./cluster/tools.mjs";
import { two } from "./cluster/two.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    sandboxes: { type: "string", default: "500" },
    many: { type: "string", default: "20000" },
    open: { type: "string", default: "2000" },
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    proxy: { type: "boolean", default: false },
  },
});
const { only, proxy, ...rest } = values;
const counts = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Number(value)]));
const PARTS = { cost, two, many, kill: killing };

const folder = mkdtempSync(join(tmpdir(), "messaging-sim-cluster-"));
const port = await freePort();
const server = spawn(
  findRedis(),
  `--port ${port} --bind 127.0.0.1 --dir ${folder} --save --appendonly yes --appendfsync everysec`.split(" "),
  { stdio: "ignore" },
);

try {
  for (const [name, part] of Object.entries(PARTS))
    if (only === undefined || only === name)
      await part(`redis://127.0.0.1:${port}/0`, { ...counts, proxy }, server.pid);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

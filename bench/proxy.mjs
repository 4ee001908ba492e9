/**
 * Milliseconds that the recording proxy adds to a call, in turn with calls without it in one run, one call at a time and four at
 * once.
 * Usage: node bench/proxy.mjs [--rounds 5] [--seconds 2]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load } from "./load.mjs";
import { LOAD_CORE, MAIN, median, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "2" } },
});
const seconds = Number(values.seconds);
const headers = { token: "acme-token", "Content-Type": "application/json" };
const CALLS = {
  "thread details": {
    method: "GET",
    path: "/api/get-customer-thread-details?customerThreadId=9001",
    headers,
  },
  "a profile": { method: "GET", path: "/api/customers/cust_001/profile", headers },
  "an internal message": {
    method: "POST",
    path: "/api/send-message-to-customer-thread",
    headers,
    body: JSON.stringify({ customerThreadId: "9001", text: "Alan Johnson called again", internal: true }),
  },
};

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const service = await start(MAIN, ["serve", "--port", "0"]);
let files = 0;
for (const connections of [1, 4])
  for (const [name, call] of Object.entries(CALLS)) {
    const added = [];
    const both = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      // A new recording each time, so that none is full.
      const out = join(folder, `${(files += 1)}.har`);
      const proxy = await start(MAIN, ["proxy", "--to", service.url, "--port", "0", "--out", out], {
        core: LOAD_CORE,
      });
      await load({ url: proxy.url, ...call, connections, seconds: 0.5 });
      const direct = await load({ url: service.url, ...call, connections, seconds });
      const through = await load({ url: proxy.url, ...call, connections, seconds });
      if (Object.keys(through.statuses).join() !== "200") throw new Error(JSON.stringify(through.statuses));
      added.push(through.p50 - direct.p50);
      both.push([direct.p50, through.p50]);
      await proxy.stop();
    }
    const middle = (side) => median(both.map((pair) => pair[side])).toFixed(2);
    report(
      `${name}, ${connections} at once: p50 added, ms`,
      median(added).toFixed(2),
      connections === 1 ? "≤ 1" : undefined,
    );
    report("  p50 without and with the proxy, ms", `${middle(0)} / ${middle(1)}`);
  }
await service.stop();
rmSync(folder, { recursive: true });

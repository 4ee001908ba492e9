/** The request rate while 100 waits are open, and latency while 64 receivers hang. Usage: node bench/waits.mjs */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, fetch, setGlobalDispatcher } from "undici";
import { bigFixture } from "./big-fixture.mjs";
import { load } from "./load.mjs";
import { LOAD_CORE, MAIN, median, pinLoad, report, start } from "./processes.mjs";

setGlobalDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
pinLoad();
const headers = { token: "acme-token", "Content-Type": "application/json" };
const READ = { method: "GET", path: "/api/get-customer-thread-details?customerThreadId=9001", headers };
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const serve = (name, more = {}) => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ ...bigFixture(100, 100), ...more }));
  return start(MAIN, ["serve", "--port", "0", "--fixtures", file]);
};
const post = (url, path, body) =>
  fetch(`${url}/__sim${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const rate = async (url, seconds = 2) => (await load({ url, ...READ, seconds })).perSecond;

const quiet = await serve("quiet");
const waited = await serve("waited");
await rate(quiet.url, 1);
await rate(waited.url, 1);
const waits = Array.from({ length: 100 }, (_, n) =>
  post(waited.url, "/wait", {
    for: {
      requests:
        n % 2 === 0
          ? { path: `/api/never-${n}` }
          : { operation: "sendMessageToCustomerThread", body: { text: `never ${n}` } },
    },
    timeoutMs: 120_000,
  }).catch(() => {}),
);
const ratios = [];
for (let round = 0; round < 5; round += 1) ratios.push((await rate(waited.url)) / (await rate(quiet.url)));
report("requests per second with 100 waits open / with none", median(ratios).toFixed(3), ">= 0.50");
await waited.stop();
await Promise.all(waits);

const receiver = await start(fileURLToPath(new URL("receiver.mjs", import.meta.url)), ["hang"], {
  core: LOAD_CORE,
});
const webhooks = Array.from({ length: 64 }, (_, index) => ({
  id: String(index + 1),
  organizationId: "200",
  url: `${receiver.url}/${index}`,
  subscribedEvents: ["messages"],
}));
const hanging = await serve("hanging", { webhooks });
const p99 = async (url) => (await load({ url, ...READ, seconds: 2, connections: 8 })).p99;
await post(hanging.url, "/threads/9001/inbound", { text: "Hi" });
await p99(hanging.url);
await p99(quiet.url);
const tails = [];
for (let round = 0; round < 5; round += 1) {
  await post(hanging.url, "/threads/9001/inbound", { text: "Hi" });
  tails.push((await p99(hanging.url)) / (await p99(quiet.url)));
}
report("p99 of calls with 64 hanging receivers / with none", median(tails).toFixed(2), "<= 1.3");
await Promise.all([quiet.stop(), hanging.stop(), receiver.stop()]);
process.exit(0);

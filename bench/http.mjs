/**
 * Reads and writes per second against the bare server, in turn on the same core, and how both hold with much state.
 * Usage: node bench/http.mjs [--rounds 5] [--seconds 2] [--big]
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bigFixture } from "./big-fixture.mjs";
import { load } from "./load.mjs";
import { BARE, MAIN, median, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    big: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const headers = { token: "acme-token", "Content-Type": "application/json" };
const READ = { method: "GET", path: "/api/get-customer-thread-details?customerThreadId=9001", headers };
const WRITE = {
  method: "POST",
  path: "/api/send-message-to-customer-thread",
  headers,
  body: JSON.stringify({ customerThreadId: "9001", text: "Hello, how can I help?" }),
};

/** `warm` seconds of load come before the first round. */
async function compare(name, a, b, request, bar, warm = 1) {
  const ratios = [];
  const figures = { a: [], b: [] };
  for (const url of [a, b]) await load({ url, ...request, seconds: warm });
  for (let round = 0; round < rounds; round += 1) {
    const first = await load({ url: a, ...request, seconds });
    const second = await load({ url: b, ...request, seconds });
    if (Object.keys(first.statuses).join() !== "200")
      throw new Error(`${name}: ${JSON.stringify(first.statuses)}`);
    ratios.push(first.perSecond / second.perSecond);
    figures.a.push(first.perSecond);
    figures.b.push(second.perSecond);
  }
  report(name, median(ratios).toFixed(3), bar);
  report(
    "  per second, ours and the other's",
    `${median(figures.a).toFixed(0)} / ${median(figures.b).toFixed(0)}`,
  );
}

/** Until the garbage of reading a file of 200 MB has been collected, which takes a second of its own. */
const LOADED = 8;

/** A fixture whose webhooks are gone: what is measured is the call, not its delivery. */
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const fixtureOf = (threads, messages) => {
  const file = join(folder, `${threads}.json`);
  writeFileSync(file, JSON.stringify(bigFixture(threads, messages)));
  return file;
};

pinLoad();
const small = await start(MAIN, ["serve", "--port", "0", "--fixtures", fixtureOf(10, 100)]);
const bare = await start(BARE);
await compare("reads: thread details / bare node", small.url, bare.url, READ, ">= 0.40");
await compare("writes: send message / bare node", small.url, bare.url, WRITE, ">= 0.30");
await bare.stop();
if (values.big) {
  const big = await start(MAIN, ["serve", "--port", "0", "--fixtures", fixtureOf(100_000, 1_000_000)]);
  await compare(
    "reads: 100,000 threads, 1,000,000 messages / 10, 100",
    big.url,
    small.url,
    READ,
    ">= 0.90",
    LOADED,
  );
  await compare(
    "writes: 100,000 threads, 1,000,000 messages / 10, 100",
    big.url,
    small.url,
    WRITE,
    ">= 0.90",
    LOADED,
  );
  await big.stop();
}
await small.stop();

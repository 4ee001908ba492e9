/**
 * How long one control call over 3,000 threads and 30,000 messages keeps everybody else waiting: the slowest answer to
 * a stream of calls of the simulated API while it is under way. Usage: node bench/holds.mjs [--threads N] [--messages N]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bigFixture } from "./big-fixture.mjs";
import { MAIN, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    threads: { type: "string", default: "3000" },
    messages: { type: "string", default: "30000" },
  },
});
const file = join(mkdtempSync(join(tmpdir(), "bench-")), "big.json");
writeFileSync(file, JSON.stringify(bigFixture(Number(values.threads), Number(values.messages))));
pinLoad();
const server = await start(MAIN, ["serve", "--port", "0", "--fixtures", file]);
report("ready after, s", (server.readyMs / 1000).toFixed(1), "<= 5");
report("resident at rest, MB", server.residentMb().toFixed(0), "<= 200");

const get = async (path) => {
  const answer = await fetch(`${server.url}${path}`, { headers: { token: "acme-token" } });
  await answer.arrayBuffer();
};

/** Reads the whole answer in a process of its own, which has work enough; resolves with its size in bytes. */
const READER = `
  import { get } from "node:http";
  get(process.argv[1], (answer) => {
    let bytes = 0;
    answer.on("data", (chunk) => { bytes += chunk.length; });
    answer.on("end", () => { console.log(bytes); process.exitCode = answer.statusCode === 200 ? 0 : 1; });
  });`;
const getElsewhere = (path) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", READER, `${server.url}${path}`]);
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("close", (code) => (code === 0 ? resolve(Number(text)) : reject(new Error(path))));
  });
const small = "/api/get-customer-thread-details?customerThreadId=9001";

/** Milliseconds that the call takes, and the slowest of the small calls made meanwhile. */
async function measure(path) {
  let over = false;
  const began = performance.now();
  const big = getElsewhere(path).then((bytes) => {
    over = true;
    return bytes;
  });
  let slowest = 0;
  while (!over) {
    const asked = performance.now();
    await get(small);
    slowest = Math.max(slowest, performance.now() - asked);
  }
  return { bytes: await big, took: performance.now() - began, slowest };
}

for (let warm = 0; warm < 200; warm += 1) await get(small);
for (const path of [
  "/__sim/state",
  "/__sim/data/messages",
  "/__sim/data/messages?threadId=9001",
  "/__sim/data/messages?text:contains=nothing",
  "/__sim/data/messages?_sort=-timestamp&_page=1",
  "/__sim/data/threads?_embed=messages&_page=1",
  "/__sim/data/threads?_embed=customer&_embed=messages",
  "/__sim/data/customers?_embed=threads&_page=1",
  "/__sim/data/businesses?_embed=threads",
]) {
  const { bytes, took, slowest } = await measure(path);
  report(`${path}: slowest call beside it, ms`, slowest.toFixed(0), "<= 200");
  report("  its own time, s, and size, MB", `${(took / 1000).toFixed(2)} / ${(bytes / 1e6).toFixed(1)}`);
}
await server.stop();

/**
 * What it costs to keep everything on the disk: writes with each durability against memory alone, in turn on one core, each by
 * several processes, since two of the same program differ by some percent; how often the disk takes a document; writes and
 * starts with a folder of 100,000 messages.
 * Usage: node bench/store.mjs [--processes 6] [--rounds 8] [--seconds 0.5] [--messages 100000, 0: none of that] [--folder DIR]
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bigFixture } from "./big-fixture.mjs";
import { load } from "./load.mjs";
import { MAIN, median, pinLoad, report, start } from "./processes.mjs";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "6" },
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "0.5" },
    messages: { type: "string", default: "100000" },
    folder: { type: "string", default: tmpdir() },
  },
});
const processes = Number(values.processes);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const messages = Number(values.messages);
const WRITE = {
  method: "POST",
  path: "/api/send-message-to-customer-thread",
  headers: { token: "acme-token", "Content-Type": "application/json" },
  body: JSON.stringify({ customerThreadId: "9001", text: "Hello, how can I help?" }),
};
const folder = mkdtempSync(join(values.folder, "messaging-sim-store-"));

function fixtureOf(threads, count) {
  const file = join(folder, `${threads}.json`);
  writeFileSync(file, JSON.stringify(bigFixture(threads, count)));
  return file;
}
const serve = (...words) => start(MAIN, ["serve", "--port", "0", "--log-level", "error", ...words]);

/** Adds to the two lists the rates of writes to two servers, measured in turn. */
async function measurePair({ url: a }, ours, { url: b }, others, warm) {
  for (const url of [a, b]) await load({ url, ...WRITE, seconds: warm });
  for (let round = 0; round < rounds; round += 1) {
    const pair = [
      [a, ours],
      [b, others],
    ];
    // Who goes first is slower or faster on a machine whose speed swings: it takes turns.
    for (const [url, list] of round % 2 === 0 ? pair : pair.reverse()) {
      const { perSecond, statuses } = await load({ url, ...WRITE, seconds });
      if (Object.keys(statuses).join() !== "200") throw new Error(JSON.stringify(statuses));
      list.push(perSecond);
    }
  }
}

/** The rate of writes to servers started by `a` as a share of that to those started by `b`, and both. */
async function compare(name, a, b, bar, { count = processes, warm = 1 } = {}) {
  const [ours, others] = [[], []];
  for (let index = 0; index < count; index += 1) {
    const pair = [await a(index), await b(index)];
    await measurePair(pair[0], ours, pair[1], others, warm);
    for (const server of pair) await server.stop();
  }
  report(name, median(ours.map((rate, index) => rate / others[index])).toFixed(3), bar);
  report("  per second", `${median(ours).toFixed(0)} / ${median(others).toFixed(0)}`);
}

/** How often a second a small document takes the place of another on the disk. */
function diskRate() {
  const names = openSync(folder, "r");
  const path = join(folder, "rate");
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < 1000; count += 1) {
    const file = openSync(`${path}.new`, "w");
    writeFileSync(file, "x".repeat(20_000));
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.new`, path);
    fsyncSync(names);
  }
  closeSync(names);
  return count;
}

pinLoad();
const small = fixtureOf(10, 10);
const inMemory = () => serve("--fixtures", small);
const batched = (index) => serve("--fixtures", small, "--data", join(folder, `batched-${index}`));
const strict = (index) =>
  serve("--fixtures", small, "--data", join(folder, `strict-${index}`), "--durability", "strict");
await compare("writes: batched / memory alone", batched, inMemory);
await compare("writes: strict / memory alone", strict, inMemory);
report("  documents a second that this disk takes", diskRate());

if (messages === 0) {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
const large = fixtureOf(messages / 10, messages);
const fromFixture = await serve("--fixtures", large);
await new Promise((resolve) => setTimeout(resolve, 5_000));
const [fixtureMs, fixtureMb] = [fromFixture.readyMs, fromFixture.residentMb()];
await fromFixture.stop();
const data = join(folder, "large");
await (await serve("--fixtures", large, "--data", data)).stop();
const kept = await serve("--data", data);
await new Promise((resolve) => setTimeout(resolve, 5_000));
report(
  `start with a folder of ${messages} messages / the fixture`,
  (kept.readyMs / fixtureMs).toFixed(2),
  "<= 1.2",
);
report("  ms", `${kept.readyMs.toFixed(0)} / ${fixtureMs.toFixed(0)}`);
report("  resident memory 5 s later", (kept.residentMb() / fixtureMb).toFixed(2), "<= 1.2");
report("  MB", `${kept.residentMb().toFixed(0)} / ${fixtureMb.toFixed(0)}`);
const first = (index) => (index === 0 ? kept : serve("--data", data));
await compare(`writes with ${messages} messages / 10, both batched`, first, batched, undefined, {
  count: 2,
  warm: 6,
});
rmSync(folder, { recursive: true, force: true });

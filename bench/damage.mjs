/**
 * Damages a data folder in many ways and starts a simulator on each: refused with a place, taken with a warning, or silently.
 * Usage: node bench/damage.mjs [--flips 22]
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSimulator } from "../dist/library/index.js";
import { report } from "./processes.mjs";

const { values } = parseArgs({ options: { flips: { type: "string", default: "22" } } });
const TEXTS = ["one", "two", "three", "four"];
const root = mkdtempSync(join(tmpdir(), "messaging-sim-damage-"));
const source = join(root, "source");

const contentsOf = (folder) =>
  JSON.stringify(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        statSync(join(folder, name)).isFile() && readFileSync(join(folder, name), "latin1"),
      ]),
  );

async function call(sim, method, path, body) {
  const headers = { token: "acme-token", "content-type": "application/json" };
  const answer = await fetch(sim.url + path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

/** A folder that a killed process leaves: two sandboxes, one with a start of its own, a snapshot, a fault and a pending delivery. */
async function written() {
  const sim = await createSimulator({ data: source, durability: "strict", clock: "2026-01-01T09:00:00Z" });
  await call(sim, "POST", "/__sim/sandboxes", { id: "other", seed: 7 });
  await call(sim, "POST", "/__sim/snapshots", { name: "then" });
  await call(sim, "POST", "/__sim/faults", { on: "delivery", then: "unavailable" });
  await call(sim, "PATCH", "/__sim/behaviour", { "delivery.attempts": 3, "delivery.backoff": ["1h"] });
  for (const text of TEXTS)
    await call(sim, "POST", "/api/send-message-to-customer-thread", { customerThreadId: "9001", text });
  await call(sim, "POST", "/__sim/threads/9001/inbound", { text: "anybody?" });
  await call(sim, "POST", "/__sim/wait", { for: "idle" });
  await call(sim, "POST", "/__sim/checkpoint");
  const image = join(root, "image");
  cpSync(source, image, { recursive: true });
  rmSync(join(image, "lock"));
  await sim.close();
  return image;
}

const image = await written();
const names = readdirSync(image).sort();

const kinds = [];
const edit = (name, what, change) =>
  kinds.push([
    `${name}: ${what}`,
    (at) => writeFileSync(join(at, name), change(readFileSync(join(at, name)))),
  ]);
const inLines = (change) => (bytes) => change(bytes.toString().split("\n")).join("\n");
const inValue = (change) => (bytes) => {
  const document = JSON.parse(bytes.toString());
  change(document);
  return JSON.stringify(document);
};
const middle = (lines) => Math.floor(lines.length / 2);
for (const name of names) {
  kinds.push([
    `${name}: a folder`,
    (at) => {
      rmSync(join(at, name));
      mkdirSync(join(at, name));
    },
  ]);
  edit(name, "empty", () => "");
  edit(name, "zeros", (bytes) => Buffer.alloc(bytes.length));
  edit(name, "half", (bytes) => bytes.subarray(0, bytes.length / 2));
  edit(name, "its last byte removed", (bytes) => bytes.subarray(0, -2));
  edit(name, "a line more", (bytes) => Buffer.concat([bytes, Buffer.from("{}\n")]));
  edit(name, "other line ends", (bytes) => bytes.toString().replaceAll("\n", "\r\n"));
  edit(
    name,
    "a line twice",
    inLines((lines) => lines.toSpliced(middle(lines), 0, lines[middle(lines)])),
  );
  edit(
    name,
    "a line removed",
    inLines((lines) => lines.toSpliced(middle(lines), 1)),
  );
  edit(
    name,
    "two lines swapped",
    inLines((lines) =>
      lines.with(middle(lines), lines[middle(lines) + 1]).with(middle(lines) + 1, lines[middle(lines)]),
    ),
  );
  edit(
    name,
    "no section",
    inValue((document) => delete document.simulator),
  );
  edit(
    name,
    "another seed",
    inValue((document) => (document.simulator.seed = 99)),
  );
  edit(
    name,
    "another format",
    inValue((document) => (document.simulator.format = 2)),
  );
  edit(
    name,
    "another sandbox",
    inValue((document) => (document.simulator.sandbox = "third")),
  );
  edit(
    name,
    "a counter too low",
    inValue((document) => (document.simulator.counters.messages = 1)),
  );
  edit(
    name,
    "an invalid counter",
    inValue((document) => (document.simulator.counters.messages = "1")),
  );
  edit(
    name,
    "no collection of messages",
    inValue((document) => delete document.messages),
  );
  edit(
    name,
    "no threads",
    inValue((document) => (document.threads = [])),
  );
  for (let n = 0; n < Number(values.flips) / 2; n += 1)
    edit(name, `bit flipped (${n})`, (bytes) => {
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] ^= 1 << Math.floor(Math.random() * 8);
      return bytes;
    });
}
kinds.push([
  "documents swapped",
  (at) => {
    const [one, two] = names.map((name) => join(at, name));
    const kept = readFileSync(one);
    writeFileSync(one, readFileSync(two));
    writeFileSync(two, kept);
  },
]);
kinds.push(["a second name", (at) => cpSync(join(at, "default.json"), join(at, "copy.json"))]);
kinds.push(["the folder of an old format", (at) => mkdirSync(join(at, "sandboxes"))]);

const counts = { refused: 0, warned: 0, whole: 0, silent: [] };
for (const [name, damage] of kinds) {
  const folder = join(root, "damaged");
  cpSync(image, folder, { recursive: true });
  damage(folder);
  const before = contentsOf(folder);
  const warnings = [];
  const ignore = () => {};
  const logger = { debug: ignore, info: ignore, error: ignore, warn: (_, text) => warnings.push(text) };
  const sim = await createSimulator({ data: folder, port: 0, logger }).catch((error) => error);
  if (sim instanceof Error) {
    if (!/(\.json|sandboxes)/.test(sim.message))
      counts.silent.push(`${name}: refused without a place: ${sim.message}`);
    else if (contentsOf(folder) !== before) counts.silent.push(`${name}: refused, but written over`);
    else counts.refused += 1;
  } else {
    const said = [...sim.registry.default.run.world.find("messagesByThread", "9001")].map(({ text }) => text);
    const isWhole = TEXTS.every((text) => said.includes(text)) && sim.registry.get("other") !== undefined;
    if (warnings.some((text) => text.includes("was edited by hand"))) counts.warned += 1;
    else if (isWhole) counts.whole += 1;
    else counts.silent.push(name);
    await sim.close();
  }
  rmSync(folder, { recursive: true });
}
rmSync(root, { recursive: true });
report("kinds of damage", kinds.length);
report("  refused with their place", counts.refused);
report("  taken with a warning", counts.warned);
report("  read without loss", counts.whole);
report("  taken silently", counts.silent.length, "0");
for (const name of counts.silent) console.log(`    ${name}`);

/**
 * Damages a data folder in many ways and starts a simulator on each: refused with a place, read without loss, or taken silently.
 * Usage: node bench/damage.mjs [--flips 20]
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSimulator } from "../dist/library/index.js";
import { report } from "./processes.mjs";

const { values } = parseArgs({ options: { flips: { type: "string", default: "20" } } });
const TEXTS = ["one", "two", "three", "four"];
const root = mkdtempSync(join(tmpdir(), "messaging-sim-damage-"));
const source = join(root, "source");

async function call(sim, method, path, body) {
  const headers = { token: "acme-token", "content-type": "application/json" };
  const answer = await fetch(sim.url + path, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

/** A folder that a killed process leaves: two sandboxes, a log after a checkpoint and one without entries. */
async function written() {
  let sim = await createSimulator({ data: source, durability: "strict" });
  await call(sim, "POST", "/__sim/sandboxes", { id: "other" });
  await call(sim, "POST", "/api/send-message-to-customer-thread", {
    customerThreadId: "9001",
    text: TEXTS[0],
  });
  await call(sim, "POST", "/__sim/checkpoint");
  for (const text of TEXTS.slice(1, 3))
    await call(sim, "POST", "/api/send-message-to-customer-thread", { customerThreadId: "9001", text });
  await sim.close();
  // Another owner, another log.
  sim = await createSimulator({ data: source, durability: "strict" });
  await call(sim, "POST", "/api/send-message-to-customer-thread", {
    customerThreadId: "9001",
    text: TEXTS[3],
  });
  const image = join(root, "image");
  cpSync(source, image, { recursive: true });
  rmSync(join(image, "lock"));
  await sim.close();
  return image;
}

const image = await written();
const names = readdirSync(join(image, "sandboxes")).sort();
const documents = names.filter((name) => name.endsWith(".json"));
const logs = names.filter(
  (name) => name.endsWith(".log") && readFileSync(join(image, "sandboxes", name)).length > 0,
);

const kinds = [];
const edit = (name, what, change) =>
  kinds.push([
    `${name}: ${what}`,
    (at) => writeFileSync(join(at, name), change(readFileSync(join(at, name)))),
  ]);
const inLines = (change) => (bytes) =>
  change(bytes.toString().split("\n").slice(0, -1))
    .map((line) => `${line}\n`)
    .join("");
for (const name of names) kinds.push([`${name}: removed`, (at) => rmSync(join(at, name))]);
for (const name of names)
  kinds.push([
    `${name}: a folder`,
    (at) => {
      rmSync(join(at, name));
      mkdirSync(join(at, name));
    },
  ]);
for (const name of [...documents, ...logs]) {
  edit(name, "other line ends", (bytes) => bytes.toString().replaceAll("\n", "\r\n"));
  edit(name, "half", (bytes) =>
    bytes.subarray(0, bytes.indexOf("\n", bytes.length / 2) + 1 || bytes.length / 2),
  );
  edit(name, "a line more", (bytes) => Buffer.concat([bytes, Buffer.from("00000000 9 []\n")]));
  for (let n = 0; n < Number(values.flips) / 4; n += 1)
    edit(name, `bit flipped (${n})`, (bytes) => {
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] ^= 1 << Math.floor(Math.random() * 8);
      return bytes;
    });
}
for (const name of logs) {
  edit(
    name,
    "first line removed",
    inLines((lines) => lines.slice(1)),
  );
  edit(
    name,
    "first line twice",
    inLines((lines) => [lines[0], ...lines]),
  );
  edit(
    name,
    "last line twice",
    inLines((lines) => [...lines, lines.at(-1)]),
  );
  edit(
    name,
    "lines swapped",
    inLines((lines) => lines.toReversed()),
  );
}
for (const name of documents) {
  edit(name, "another log", (bytes) => bytes.toString().replace(/"log":\s*"(\d)/, '"log":"9$1'));
  edit(name, "a later start", (bytes) => bytes.toString().replace(/"after":\s*(\d+)/, '"after":1$1'));
  edit(name, "another seed", (bytes) => bytes.toString().replace(/"seed":\s*1/, '"seed":2'));
}
kinds.push([
  "documents swapped",
  (at) => {
    const [one, two] = documents.map((name) => join(at, name));
    const kept = readFileSync(one);
    writeFileSync(one, readFileSync(two));
    writeFileSync(two, kept);
  },
]);

const counts = { refused: 0, whole: 0, silent: [] };
for (const [name, damage] of kinds) {
  const folder = join(root, "damaged");
  cpSync(image, folder, { recursive: true });
  damage(join(folder, "sandboxes"));
  const sim = await createSimulator({ data: folder, port: 0 }).catch((error) => error);
  if (sim instanceof Error) {
    if (/\.(json|log)/.test(sim.message)) counts.refused += 1;
    else counts.silent.push(`${name}: refused without a place: ${sim.message}`);
  } else {
    const said = [...sim.registry.default.run.world.find("messagesByThread", "9001")].map(({ text }) => text);
    const isWhole = TEXTS.every((text) => said.includes(text)) && sim.registry.get("other") !== undefined;
    if (isWhole) counts.whole += 1;
    else counts.silent.push(name);
    await sim.close();
  }
  rmSync(folder, { recursive: true });
}
rmSync(root, { recursive: true });
report("kinds of damage", kinds.length);
report("  refused with their place", counts.refused);
report("  read without loss", counts.whole);
report("  taken silently", counts.silent.length, "0");
for (const name of counts.silent) console.log(`    ${name}`);

/** A folder of an older format is upgraded once, and a copy is kept. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { createSimulator } from "../../src/server/simulator.js";
import { repairFolder } from "../../src/storage/repair.js";
import { textsIn, writtenFolder } from "./command.js";
import { imageOf } from "./support.js";

const documentOf = (folder: string): string => join(folder, "sandboxes", "default.json");
const logOf = (folder: string): string => join(folder, "sandboxes", "default.1.log");
const sumOf = (text: string) => crc32(text).toString(16).padStart(8, "0");
const read = (path: string) => readFileSync(path, "utf8");
const written = () => writtenFolder("one", "two");

/** Writes the files of a folder as versions of format 2 did: without incarnations. */
function asFormat2(folder: string): void {
  const { simulator, ...document } = JSON.parse(read(documentOf(folder)));
  const { incarnation: _incarnation, checksum: _checksum, ...section } = simulator;
  const text = JSON.stringify({ ...document, simulator: { ...section, format: 2 } }).slice(0, -2);
  writeFileSync(documentOf(folder), `${text},\n"checksum":"${sumOf(text)}"\n}\n}\n`);
  writeFileSync(logOf(folder), read(logOf(folder)).replace(/^.*\n/, ""));
}

/** Writes the files of a folder as versions of format 1 did: without names of logs, numbers of lines and a checksum of the document. */
function asFormat1(folder: string, generation = 1): void {
  const { simulator, ...document } = JSON.parse(read(documentOf(folder)));
  for (const key of ["log", "after", "incarnation", "checksum"]) delete simulator[key];
  // Earlier versions kept one random stream for all faults.
  simulator.values.run.faults.random = 7;
  Object.assign(simulator, { format: 1, generation });
  writeFileSync(documentOf(folder), JSON.stringify({ ...document, simulator }));
  const texts = read(logOf(folder)).match(/(?<=^\S+ \d+ )\[.*$/gm) ?? [];
  writeFileSync(logOf(folder), texts.map((text) => `${sumOf(text)} ${text}\n`).join(""));
}

it.each([1, 2])("a folder of format %i is upgraded once, and a copy of it is kept", async (format) => {
  const image = await written();
  if (format === 1) asFormat1(image);
  else asFormat2(image);
  const files = readdirSync(join(image, "sandboxes"));
  const contents = (folder: string) => files.map((name) => read(join(image, folder, name)));
  const before = contents("sandboxes");
  for (let time = 0; time < 2; time += 1) {
    // Including the last acknowledged change.
    expect(await textsIn(image)).toEqual(["one", "two"]);
    expect(contents(`format-${format}`)).toEqual(before);
    expect(readdirSync(join(image, "sandboxes")).sort()).toEqual(["default.2.log", "default.json"]);
  }
  const { simulator } = JSON.parse(read(documentOf(image)));
  expect(simulator).toMatchObject({ format: 3, log: "2" });
  expect(simulator).not.toHaveProperty("generation");
});

it("a folder of an older format is copied completely, including a log that its document does not name", async () => {
  const image = await written();
  asFormat1(image, 5);
  expect(await textsIn(image)).toEqual([]);
  expect(readdirSync(join(image, "format-1")).sort()).toEqual(["default.1.log", "default.json"]);
});

it("a folder of an older format is upgraded even after an interrupted upgrade and with an unfinished entry", async () => {
  const image = await written();
  asFormat1(image);
  appendFileSync(logOf(image), '01234567 [["run');
  const upgraded = imageOf(image);
  await textsIn(upgraded);
  const [first] = read(join(upgraded, "sandboxes", "default.2.log")).split(/(?<=\n)/);
  writeFileSync(join(image, "sandboxes", "default.2.log"), String(first));
  expect(await textsIn(image)).toEqual(["one", "two"]);
});

it("a folder of an older format is saved up to a damaged line by --data-repair", async () => {
  const image = await written();
  asFormat1(image);
  writeFileSync(logOf(image), read(logOf(image)).replace('"text":"two"', '"text":"twO"'));
  expect((await repairFolder(image)).join()).toMatch(/lost: .*default\.1\.log:\d+:1 {2}is damaged here/);
  expect(await textsIn(join(image, "repaired"))).toEqual(["one"]);
});

it("a folder of an older format is refused if its format cannot be converted", async () => {
  const folder = await written();
  asFormat1(folder);
  const text = read(documentOf(folder)).replace('"format":1', '"format":-1');
  writeFileSync(documentOf(folder), text);
  await expect(createSimulator({ data: folder })).rejects.toThrow("simulator.format: must be 3, but is -1");
  expect(read(documentOf(folder))).toBe(text);
});

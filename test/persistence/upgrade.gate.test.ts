/** A folder of an older format is upgraded once, and a copy of it is kept. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSimulator } from "../../src/server/simulator.js";
import { UPGRADES, type Upgrade } from "../../src/storage/base-document.js";
import { startSimulator } from "../support/simulator.js";
import { say } from "./command.js";
import { imageOf, newFolder } from "./support.js";

// Before format 1 there was none: this one names the end of a sandbox otherwise, and keeps texts in small letters.
const known = UPGRADES as Map<number, Upgrade>;
beforeEach(() => {
  known.set(0, {
    base: (document) => {
      const simulator = document.simulator as Record<string, unknown>;
      simulator.expiresAt = simulator.ends;
      delete simulator.ends;
    },
    change: ([part, key, value]) => {
      if (part !== "messages") return [part, key, value];
      const message = value as { text: string };
      return [part, key, { ...message, text: message.text.toUpperCase() }];
    },
  });
});
afterEach(() => void known.delete(0));

interface Section {
  format: number;
  generation?: number;
  log?: string;
  expiresAt?: null;
  ends?: null;
}

const documentOf = (folder: string): string => join(folder, "sandboxes", "default.json");
const sectionOf = (path: string): Section => JSON.parse(readFileSync(path, "utf8")).simulator;

async function olderFolder(): Promise<string> {
  const folder = newFolder();
  const sim = await startSimulator({ data: folder, durability: "strict" });
  await say(sim, "one");
  await say(sim, "two");
  const image = imageOf(folder);
  await sim.close();
  asFormat1(image, ({ expiresAt, ...section }) => ({ ...section, format: 0, ends: expiresAt }));
  return image;
}

/** Writes the files of a folder as versions of format 1 did: without names of logs, numbers of lines and a checksum of the document. */
function asFormat1(folder: string, change: (section: Section) => object = (section) => section): void {
  const document = JSON.parse(readFileSync(documentOf(folder), "utf8"));
  const { log: _log, after: _after, checksum: _checksum, ...section } = document.simulator;
  // Earlier versions kept one random stream for all faults.
  Object.assign(section.values.run.faults, { random: 7 });
  const simulator = change({ ...section, format: 1, generation: 1 });
  writeFileSync(documentOf(folder), JSON.stringify({ ...document, simulator }));
  const path = join(folder, "sandboxes", "default.1.log");
  const texts = readFileSync(path, "utf8").match(/(?<=^\S+ \d+ )\[.*$/gm) ?? [];
  const sumOf = (text: string) => crc32(text).toString(16).padStart(8, "0");
  writeFileSync(path, texts.map((text) => `${sumOf(text)} ${text}\n`).join(""));
}

async function textsIn(folder: string): Promise<string[]> {
  const sim = await createSimulator({ data: folder });
  const messages = [...sim.registry.default.run.world.find("messagesByThread", "9001")];
  await sim.close();
  return messages.map(({ text }) => text ?? "").filter((text) => /^(one|two)$/i.test(text));
}

describe("a folder of an older format", () => {
  it("is upgraded once, and stays as it was in a folder beside", async () => {
    const folder = await olderFolder();
    const files = readdirSync(join(folder, "sandboxes"));
    const before = files.map((name) => readFileSync(join(folder, "sandboxes", name), "utf8"));

    expect(await textsIn(folder)).toEqual(["ONE", "TWO"]);
    expect(sectionOf(documentOf(folder))).toMatchObject({ format: 2, expiresAt: null, log: "2" });
    const copies = files.map((name) => readFileSync(join(folder, "format-0", name), "utf8"));
    expect(copies).toEqual(before);

    expect(await textsIn(folder)).toEqual(["ONE", "TWO"]);
    expect(files.map((name) => readFileSync(join(folder, "format-0", name), "utf8"))).toEqual(before);
  });

  it("that is the one before this is upgraded, with what was acknowledged last", async () => {
    const folder = newFolder();
    const sim = await startSimulator({ data: folder, durability: "strict" });
    await say(sim, "one");
    await say(sim, "two");
    const image = imageOf(folder);
    await sim.close();
    asFormat1(image);
    expect(await textsIn(image)).toEqual(["one", "two"]);
    expect(sectionOf(documentOf(image))).toMatchObject({ format: 2, log: "2" });
    expect(sectionOf(documentOf(image)).generation).toBeUndefined();
    expect(readdirSync(join(image, "sandboxes")).sort()).toEqual(["default.2.log", "default.json"]);
    expect(await textsIn(image)).toEqual(["one", "two"]);
  });

  it("is refused where there is no way from its format", async () => {
    const folder = await olderFolder();
    const document = JSON.parse(readFileSync(documentOf(folder), "utf8"));
    const text = JSON.stringify({ ...document, simulator: { ...document.simulator, format: -1 } });
    writeFileSync(documentOf(folder), text);
    await expect(createSimulator({ data: folder })).rejects.toThrow("simulator.format: must be 2, but is -1");
    expect(readFileSync(documentOf(folder), "utf8")).toBe(text);
  });
});

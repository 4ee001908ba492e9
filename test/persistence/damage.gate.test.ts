// Slow: a simulator tries to start on each kind of damage.
/** A damaged folder is refused with file and place, or read up to the damage; it is never overwritten. */
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import { createSimulator } from "../../src/server/simulator.js";
import { LogFile, readLog } from "../../src/storage/log-file.js";
import { startSimulator } from "../support/simulator.js";
import { say, textsIn, writtenFolder } from "./command.js";
import { imageOf, newFolder } from "./support.js";

const written = () => writtenFolder("one", "two", "three");

const baseOf = (folder: string): string => join(folder, "sandboxes", "default.json");
const logOf = (folder: string): string => {
  const [name = ""] = readdirSync(join(folder, "sandboxes")).filter((each) => each.endsWith(".log"));
  return join(folder, "sandboxes", name);
};

describe("a truncated log", () => {
  it("has its complete lines, wherever it is cut, and needs the first one", async () => {
    const folder = await written();
    const path = logOf(folder);
    const bytes = readFileSync(path);
    const { incarnation } = JSON.parse(readFileSync(baseOf(folder), "utf8")).simulator;
    const read = () => readLog(path, 1, incarnation);
    const { texts } = await read();
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1);
    const [head = 0] = ends;
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      writeFileSync(path, bytes.subarray(0, cut));
      const whole = ends.filter((end) => end <= cut);
      const problem = cut < head ? expect.anything() : undefined;
      const torn = cut < head ? 0 : cut - (whole.at(-1) ?? 0);
      expect(await read()).toEqual({ texts: texts.slice(0, Math.max(0, whole.length - 1)), torn, problem });
    }
  });

  it("keeps complete entries, and new ones can be appended", async () => {
    const folder = await written();
    const path = logOf(folder);
    const bytes = readFileSync(path);
    for (let cut = bytes.length; cut > 100; cut -= Math.ceil(bytes.length / 8)) {
      writeFileSync(path, bytes.subarray(0, cut));
      const whole = bytes.subarray(0, cut).toString().split("\n").slice(0, -1).join("\n");
      const expected = ["one", "two", "three"].filter((text) => whole.includes(`"text":"${text}"`));
      expect(await textsIn(imageOf(folder)), `cut at ${cut}`).toEqual(expected);
    }
    writeFileSync(path, bytes.subarray(0, bytes.length - 5));
    const warned: string[] = [];
    const logger = { ...SILENT, warn: (_: object, text: string) => void warned.push(text) };
    const sim = await startSimulator({ data: folder, durability: "strict", logger });
    expect(warned).toEqual([expect.stringMatching(`^${path}: ignored \\d+ bytes of an unfinished entry`)]);
    await say(sim, "four");
    await sim.close();
    expect(await textsIn(folder)).toEqual(["one", "two", "four"]);
  });
});

describe("a folder that is damaged", () => {
  /** Sets the value at a path of the document. */
  const put = (path: string, value: unknown) => (at: string) => {
    const document = JSON.parse(readFileSync(baseOf(at), "utf8"));
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    keys.reduce((part, key) => part[key], document)[last] = value;
    writeFileSync(baseOf(at), JSON.stringify(document));
  };
  const lines = (change: (head: string, one: string, ...rest: string[]) => string[]) => (at: string) => {
    const [head = "", one = "", ...rest] = readFileSync(logOf(at), "utf8").split("\n").slice(0, -1);
    const changed = change(head, one, ...rest);
    writeFileSync(logOf(at), changed.map((line) => `${line}\n`).join(""));
  };
  const damages: [string, (folder: string) => void | Promise<void>, RegExp][] = [
    [
      "in the middle of a log",
      (at) => {
        const bytes = readFileSync(logOf(at));
        bytes[40] = (bytes[40] as number) ^ 1;
        writeFileSync(logOf(at), bytes);
      },
      /default\.1\.log:1:1 {2}does not begin as the log of this sandbox/,
    ],
    ["by a torn document", (at) => truncateSync(baseOf(at), 5_000), /default\.json:\d+:\d+ {2}/],
    ["by an empty document", (at) => truncateSync(baseOf(at), 0), /default\.json/],
    [
      "by a torn document beside a complete one that was not put in place",
      (at) => {
        writeFileSync(`${baseOf(at)}.1.new`, readFileSync(baseOf(at)));
        truncateSync(baseOf(at), 5_000);
      },
      /default\.json:\d+:\d+ {2}.*: restore the files from a backup/,
    ],
    [
      "by a byte order mark before the document",
      (at) => writeFileSync(baseOf(at), `\uFEFF${readFileSync(baseOf(at), "utf8")}`),
      /default\.json {2}was changed: its checksum does not match/,
    ],
    [
      "by a circular link in place of the document",
      (at) => {
        rmSync(baseOf(at));
        symlinkSync("default.json", baseOf(at));
      },
      /default\.json {2}cannot be read: ELOOP/,
    ],
    [
      "by zeros in place of a log",
      (at) => writeFileSync(logOf(at), Buffer.alloc(4_000)),
      /log:1:1 {2}does not/,
    ],
    [
      "by zeros at the end of a log",
      (at) => writeFileSync(logOf(at), Buffer.concat([readFileSync(logOf(at)), Buffer.alloc(99)])),
      /log:\d+:1 {2}is damaged here/,
    ],
    [
      "by a log without line ends",
      (at) => writeFileSync(logOf(at), readFileSync(logOf(at), "utf8").replaceAll("\n", "\r")),
      /log:1:1 {2}does not begin as the log of this sandbox/,
    ],
    ["by a log that was emptied", (at) => truncateSync(logOf(at), 0), /log:1:1 {2}does not begin as/],
    [
      "by the log of another folder",
      async (at) => writeFileSync(logOf(at), readFileSync(logOf(await written()))),
      /log:1:1 {2}does not begin as the log of this sandbox/,
    ],
    [
      "by an invalid record",
      put("threads.0.status", "odd"),
      /default\.json {2}threads\[0\]\.status: must be/,
    ],
    ["by a dangling reference", put("customers.0.id", "gone"), /default\.json {2}threads\[\d+\]\.customerId/],
    [
      "by a newer format",
      put("simulator.format", 99),
      /default\.json {2}simulator\.format: is 99, written by a newer messaging-sim/,
    ],
    ["by a document without its own part", put("simulator", undefined), /default\.json {2}simulator/],
    [
      "by invalid values",
      put("simulator.values", { deliveries: { d1: null } }),
      /default\.json {2}simulator\.values\.deliveries\.d1: must be/,
    ],
    [
      "by one bit of its last line",
      (at) => flip(logOf(at), -20),
      /default\.1\.log:\d+:1 {2}is damaged here .*: restore the files from a backup/,
    ],
    [
      "by a log with other line ends",
      lines((...all) => all.map((line) => `${line}\r`)),
      /log:1:1 {2}does not begin as/,
    ],
    ["by a log without its first line", lines((_, ...rest) => rest), /log:1:1 {2}does not begin as/],
    [
      "by a line that was removed",
      lines((head, _, ...rest) => [head, ...rest]),
      /log:2:1 {2}has the entry 2 here, but 1 was expected/,
    ],
    [
      "by a duplicate line",
      lines((head, one, ...rest) => [head, one, one, ...rest]),
      /log:3:1 {2}has the entry 1 here/,
    ],
    [
      "by lines that were swapped",
      lines((head, ...rest) => [head, ...rest.reverse()]),
      /log:2:1 {2}has the entry \d+ here/,
    ],
    ["by one bit of the end of its last line", (at) => flip(logOf(at), -1), /log:\d+:1 {2}is damaged here/],
    ["by a log that was removed", (at) => rmSync(logOf(at)), /default\.1\.log {2}is missing/],
    [
      "by a document that was removed",
      (at) => rmSync(baseOf(at)),
      /default\.json {2}is missing, but its log exists/,
    ],
    ["by one bit of the document", (at) => flip(baseOf(at), 300), /default\.json/],
    ["by a document that names another log", put("simulator.log", "3"), /default\.3\.log {2}is missing/],
    [
      "by a format that was never released",
      put("simulator.format", 2),
      /default\.json {2}simulator\.format: is 2, written by a version that was never released: this one reads format 3/,
    ],
    [
      "by such a format whose logs had no names",
      (at) => {
        const { simulator, ...state } = JSON.parse(readFileSync(baseOf(at), "utf8"));
        const { log: _, after: __, ...section } = simulator;
        writeFileSync(baseOf(at), JSON.stringify({ ...state, simulator: { ...section, format: 1 } }));
      },
      /default\.json {2}simulator\.format: is 1, written by a version that was never released/,
    ],
    ["by a document with other values", put("users.0.email", "x@example.com"), /default\.json/],
    [
      "by a folder in place of the document",
      (at) => {
        rmSync(baseOf(at));
        mkdirSync(baseOf(at));
      },
      /default\.json {2}is a folder, and must be a file/,
    ],
    [
      "by a FIFO in place of the document",
      (at) => {
        rmSync(baseOf(at));
        execFileSync("mkfifo", [baseOf(at)]);
      },
      /default\.json {2}is not a regular file/,
    ],
    [
      "by a document under another name",
      (at) => writeFileSync(join(at, "sandboxes", "other.json"), readFileSync(baseOf(at))),
      /other\.json {2}simulator\.sandbox: is "default", but it is stored as "other"/,
    ],
  ];

  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    bytes.writeUInt8((bytes.at(at) ?? 0) ^ 1, at < 0 ? bytes.length + at : at);
    writeFileSync(path, bytes);
  };

  it.each(damages)("%s is refused with its place, and not changed", async (_, spoil, message) => {
    const spoilt = await written();
    await spoil(spoilt);
    const names = readdirSync(join(spoilt, "sandboxes")).sort();
    const contentsOf = () =>
      names
        .map((name) => join(spoilt, "sandboxes", name))
        .map((path) => (lstatSync(path).isFile() ? readFileSync(path) : path));
    const contents = contentsOf();
    await expect(createSimulator({ data: spoilt })).rejects.toThrow(message);
    expect(readdirSync(join(spoilt, "sandboxes")).sort()).toEqual(names);
    expect(contentsOf()).toEqual(contents);
    // The lock is released: once restored, the folder can be used.
    expect(readdirSync(spoilt)).toEqual(["sandboxes"]);
  });

  it("only by files of others opens", async () => {
    const image = await written();
    for (const name of [
      "default.9007199254740993.log",
      "x.9007199254740993.log",
      "y.json.1.new",
      "z.1.removed",
    ])
      writeFileSync(join(image, "sandboxes", name), "");
    expect(await textsIn(image)).toEqual(["one", "two", "three"]);
  });

  it("by a sandbox that was never created opens without it", async () => {
    const image = await written();
    const log = new LogFile(join(image, "sandboxes", "fresh.1.log"), { fence: 1, part: 1 }, 0, "x");
    await log.begin();
    await log.end();
    writeFileSync(join(image, "sandboxes", "fresh.json.1.new"), readFileSync(baseOf(image)).subarray(0, 99));
    const sim = await startSimulator({ data: image, durability: "strict" });
    expect(sim.registry.get("fresh")).toBeUndefined();
    expect((await sim.control("PUT /sandboxes/fresh")).status).toBe(201);
    await sim.close();
    expect(await textsIn(image)).toEqual(["one", "two", "three"]);
  });

  it("by a sandbox whose document could not be put in place opens without it", async () => {
    const folder = newFolder();
    const sim = await startSimulator({ data: folder, durability: "strict" });
    mkdirSync(join(folder, "sandboxes", "fresh.json"));
    expect((await sim.control("PUT /sandboxes/fresh")).status).toBe(503);
    const image = imageOf(folder);
    rmSync(join(image, "sandboxes", "fresh.json"), { recursive: true });
    rmSync(join(folder, "sandboxes", "fresh.json"), { recursive: true });
    await sim.close();
    expect(await textsIn(image)).toEqual([]);
  });

  it("by an unfinished checkpoint opens without it", async () => {
    const image = await written();
    writeFileSync(`${baseOf(image)}.new`, readFileSync(baseOf(image)).subarray(0, 300));
    expect(await textsIn(image)).toEqual(["one", "two", "three"]);
  });

  it("by an unfinished removal opens without the sandbox", async () => {
    const image = await written();
    writeFileSync(join(image, "sandboxes", "default.1.removed"), "");
    rmSync(baseOf(image));
    expect(await textsIn(image)).toEqual([]);
    // Nothing of it reappears in a new sandbox with its id.
    expect(await textsIn(image)).toEqual([]);
    const sim = await startSimulator({ data: image, durability: "strict" });
    await say(sim, "four");
    await sim.close();
    expect(await textsIn(image)).toEqual(["four"]);
  });
});

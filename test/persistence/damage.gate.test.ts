// Slow: a simulator tries to start on each kind of damage.
/** A damaged document is refused with file and place, or taken with a warning; it is never overwritten. */
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
import { startSimulator } from "../support/simulator.js";
import { refused, said, textsIn, writtenFolder } from "./command.js";

const written = () => writtenFolder("one", "two", "three");
const documentOf = (folder: string): string => join(folder, "default.json");
const read = (folder: string) => JSON.parse(readFileSync(documentOf(folder), "utf8"));

/** Sets the value at a path of the document. */
const put = (path: string, value: unknown) => (at: string) => {
  const document = read(at);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  keys.reduce((part, key) => part[key], document)[last] = value;
  writeFileSync(documentOf(at), JSON.stringify(document, null, 2));
};
const edit = (change: (text: string) => string) => (at: string) =>
  writeFileSync(documentOf(at), change(readFileSync(documentOf(at), "utf8")));

describe("a folder that is damaged", () => {
  const damages: [string, (folder: string) => void, RegExp][] = [
    ["by a torn document", (at) => truncateSync(documentOf(at), 5_000), /default\.json:\d+:\d+ {2}/],
    ["by an empty document", (at) => truncateSync(documentOf(at), 0), /default\.json/],
    ["by zeros", (at) => writeFileSync(documentOf(at), Buffer.alloc(4_000)), /default\.json:1:1 {2}/],
    [
      "by a circular link in place of the document",
      (at) => {
        rmSync(documentOf(at));
        symlinkSync("default.json", documentOf(at));
      },
      /default\.json {2}cannot be read: ELOOP/,
    ],
    [
      "by a folder in place of the document",
      (at) => {
        rmSync(documentOf(at));
        mkdirSync(documentOf(at));
      },
      /default\.json {2}is a folder, and must be a file/,
    ],
    [
      "by a FIFO in place of the document",
      (at) => {
        rmSync(documentOf(at));
        execFileSync("mkfifo", [documentOf(at)]);
      },
      /default\.json {2}is not a regular file/,
    ],
    [
      "by an invalid record",
      put("threads.0.status", "odd"),
      /default\.json:\d+:\d+ {2}threads\[0\]\.status: must be/,
    ],
    [
      "by a record twice",
      edit((text) => text.replace('"users":[', '"users":[\n{"id":"501"},')),
      /users\[0\]/,
    ],
    [
      "by a dangling reference",
      put("customers.0.id", "gone"),
      /default\.json:\d+:\d+ {2}threads\[\d+\]\.customerId/,
    ],
    ["by an unknown collection", put("orders", []), /default\.json:\d+:\d+ {2}orders/],
    [
      "by a key twice",
      edit((text) => text.replace('"users":[', '"users":[],\n"users":[')),
      /default\.json:\d+:\d+ {2}users: duplicate key/,
    ],
    [
      "by a newer format",
      put("simulator.format", 99),
      /default\.json:\d+:\d+ {2}simulator\.format: is 99, written by a newer messaging-sim: this one reads format 1/,
    ],
    [
      "by a format that was never released",
      put("simulator.format", 0),
      /default\.json:\d+:\d+ {2}simulator\.format: is 0, written by a version that was never released/,
    ],
    [
      "by a document without its own part",
      put("simulator", undefined),
      /default\.json.* {2}simulator: is missing/,
    ],
    ["by a list in place of it", put("simulator", []), /default\.json.* {2}simulator/],
    ["by a document without counters", put("simulator.counters", undefined), /simulator\.counters/],
    ["by an invalid clock", put("simulator.clock", { now: 1 }), /default\.json:\d+:\d+ {2}simulator\.clock/],
    [
      "by an invalid delivery",
      put("simulator.deliveries.pending", [null]),
      /default\.json:\d+:\d+ {2}simulator\.deliveries\.pending\[0\]: must be/,
    ],
    [
      "by an unknown behaviour",
      put("simulator.behaviour", { "delivery.attempt": 3 }),
      /simulator\.behaviour\["delivery\.attempt"\]/,
    ],
    [
      "by an invalid value of a behaviour",
      put("simulator.behaviour", { "delivery.attempts": "many" }),
      /simulator\.behaviour\["delivery\.attempts"\]/,
    ],
    [
      "by an invalid fault",
      put("simulator.faults", {
        added: 1,
        rules: [{ id: "f1", on: "request", match: { path: "/(/" }, then: {}, seen: 0, fired: 0 }],
      }),
      /simulator\.faults\.rules\[0\]/,
    ],
    [
      "by an invalid record in a snapshot",
      put("simulator.snapshots", [
        {
          name: "x",
          clock: { now: 1, frozen: true },
          began: 1,
          state: {
            counters: { threads: 1, messages: 1, participations: 0, random: null },
            fixture: { users: [{ id: 5 }] },
          },
        },
      ]),
      /simulator\.snapshots\[0\]\.state\.fixture\.users\[0\]/,
    ],
    [
      "by a document under another name",
      (at) => writeFileSync(join(at, "other.json"), readFileSync(documentOf(at))),
      /other\.json:\d+:\d+ {2}simulator\.sandbox: is "default", but it is kept as "other": restore its name/,
    ],
    [
      "by a document under a name that is no id",
      (at) => writeFileSync(join(at, "default (1).json"), readFileSync(documentOf(at))),
      /default \(1\)\.json {2}must have the id of a sandbox as its name/,
    ],
    [
      "by the folder of a version that was never released",
      (at) => mkdirSync(join(at, "sandboxes")),
      /sandboxes {2}is of a version that was never released: use another folder/,
    ],
  ];

  const contentsOf = (folder: string) =>
    readdirSync(folder)
      .sort()
      .map((name) => [name, join(folder, name)] as const)
      .map(([name, path]) => [name, lstatSync(path).isFile() ? readFileSync(path, "utf8") : ""]);

  it.each(damages)("%s is refused with its place, and not changed", async (_, spoil, message) => {
    const spoilt = await written();
    spoil(spoilt);
    const contents = contentsOf(spoilt);
    await expect(createSimulator({ data: spoilt })).rejects.toThrow(message);
    // The lock is released, too: once restored, the folder can be used.
    expect(contentsOf(spoilt)).toEqual(contents);
  });

  it("ends the command with exit code 2, and names every damaged document", async () => {
    const folder = await written();
    for (const id of ["a", "b"]) writeFileSync(join(folder, `${id}.json`), "{");
    const { code, said: message } = await refused(folder);
    expect(code).toBe(2);
    expect(message).toMatch(/a\.json:1:2 {2}/);
    expect(message).toMatch(/b\.json:1:2 {2}/);
  });

  it("by files of others, and by new files that were not put in place, opens without them", async () => {
    const folder = await written();
    for (const name of ["notes.txt", "default.json.bak", "other.json.new"])
      writeFileSync(join(folder, name), "x");
    writeFileSync(`${documentOf(folder)}.abc-1.new`, readFileSync(documentOf(folder)).subarray(0, 99));
    expect(await textsIn(folder)).toEqual(["one", "two", "three"]);
    expect(readdirSync(folder).sort()).toEqual([
      "default.json",
      "default.json.bak",
      "notes.txt",
      "other.json.new",
    ]);
  });
});

describe("a document that was edited by hand", () => {
  const edits: [string, (folder: string) => void, string[]][] = [
    ["with another text", edit((text) => text.replace('"two"', '"four"')), ["one", "four", "three"]],
    ["with other white space", put("simulator.seed", 1), ["one", "two", "three"]],
    ["with a byte order mark", edit((text) => `\uFEFF${text}`), ["one", "two", "three"]],
    ["without its checksum", put("simulator.checksum", undefined), ["one", "two", "three"]],
    ["with other line ends", edit((text) => text.replaceAll("\n", "\r\n")), ["one", "two", "three"]],
    ["with one character of its checksum", edit(otherChecksum), ["one", "two", "three"]],
  ];

  it.each(edits)("%s is taken, with a warning", async (_, change, texts) => {
    const folder = await written();
    change(folder);
    const warned: string[] = [];
    const logger = { ...SILENT, warn: (_: object, text: string) => void warned.push(text) };
    const sim = await startSimulator({ data: folder, logger });
    expect(warned).toEqual([`${documentOf(folder)} was edited by hand: its checksum does not match`]);
    expect((await said(sim)).filter((text) => ["one", "two", "three", "four"].includes(text))).toEqual(texts);
    await sim.close();
  });

  it("goes on with its ids after the highest that was added", async () => {
    const folder = await written();
    const { messages } = read(folder);
    put("messages", [...messages, { ...messages.at(-1), id: "700000", text: "four" }])(folder);
    const sim = await startSimulator({ data: folder });
    const { body } = await sim.control("POST /threads/9001/inbound", { text: "next" });
    expect(body.id).toBe("700001");
  });

  function otherChecksum(text: string): string {
    return text.replace(/"checksum":"(.)/, (_, digit) => `"checksum":"${digit === "0" ? "1" : "0"}`);
  }
});

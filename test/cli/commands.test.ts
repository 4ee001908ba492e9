import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { PRINTABLE } from "../../src/cli/schema.js";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { begin, run } from "./terminal.js";

const DEFAULT_FIXTURE = join(import.meta.dirname, "..", "..", "fixtures", "default.json");
const MISSING = join(import.meta.dirname, "none.json");
const file = filesFor("cli");

describe("check", () => {
  it("tells good files apart by their content", async () => {
    const config = file("a.yaml", "port: 0\nset: { window.duration: 24h }\n");
    const behaviour = file("b.yaml", "window.duration: 24h\n");
    const faults = file("c.json", '[{ "on": "request", "then": "slow" }]');
    const scenario = file("d.yaml", "steps:\n  - log: one\n  - log: two\n");
    const { code, out, err } = await run(["check", DEFAULT_FIXTURE, config, behaviour, faults, scenario]);
    const [first, ...others] = out.trimEnd().split("\n");
    expect(first).toMatch(
      /default\.json {2}ok \(fixture: 2 organizations, 5 businesses, .* 7 threads, .*\)$/,
    );
    expect(others).toEqual([
      `${config}  ok (config: 2 options)`,
      `${behaviour}  ok (behaviour: 1 key)`,
      `${faults}  ok (faults: 1 fault)`,
      `${scenario}  ok (scenario: 2 steps)`,
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it.each([
    [
      "bad.json",
      '{\n  "organizations": [{ "id": "x", "name": "A" }],\n  "thread": []\n}',
      [/:2:29 {2}organizations\[0\]\.id: must be digits/, /:3:3 {2}thread: .*did you mean "threads"\?/],
    ],
    [
      "bad-config.yaml",
      "port: 1\nfixture: x\n",
      [/:2:1 {2}fixture: unknown option "fixture": did you mean "fixtures"\?/],
    ],
    [
      "bad-behaviour.yaml",
      "delivery.attempts: 0\n",
      [/:1:20 {2}\["delivery\.attempts"\]: must be at least 1/],
    ],
    [
      "bad-faults.yaml",
      "on: request\nthen: { duplicate: 2 }\n",
      [/:2:9 {2}then\.duplicate: applies to a delivery, not to a request/],
    ],
    ["broken.json", '{ "port": }', [/:1:11 {2}\S/]],
    [
      "stranger.yaml",
      "# first\nprot: 1\n",
      [
        /:2:1 {2}prot: is a key of no fixture, config, scenario, behaviour, bundle or faults file: did you mean "port"\?/,
      ],
    ],
    ["empty.json", "{}", [/:1:1 {2}is empty/]],
    ["none.json", "[]", [/:1:1 {2}is empty/]],
    ["comment.yaml", "# nothing yet\n", [/:1:1 {2}is empty/]],
    ["text.yaml", "hello\n", [/:1:1 {2}must be an object or a list of objects, but is a string/]],
  ] as const)("names file, line and column: %s", async (name, text, lines) => {
    const path = file(name, text);
    const { code, out } = await run(["check", path]);
    const found = out.trimEnd().split("\n");
    expect(code).toBe(2);
    expect(found).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) {
      expect(found[index]).toMatch(line);
      expect(found[index]?.startsWith(`${path}:`)).toBe(true);
    }
  });

  it("goes on after a file that it cannot read", async () => {
    const { code, out } = await run(["check", MISSING, DEFAULT_FIXTURE]);
    expect(code).toBe(2);
    expect(out.split("\n")[0]).toBe(`${MISSING}  cannot be read: there is no such file`);
    expect(out).toContain("ok (fixture");
  });
});

/** What yargs prints for a command line, on a terminal or not. */
async function helpOf(words: readonly string[], isInteractive = false): Promise<string> {
  const print = vi.spyOn(console, "log").mockReturnValue();
  try {
    expect(await begin(words, {}, { isInteractive }).exited).toBe(0);
    return print.mock.calls.join("\n");
  } finally {
    print.mockRestore();
  }
}

it.each(COMMANDS)("the help of $name shows its examples and exit codes", async ({ name, load }) => {
  const words = (await helpOf(["help", name])).replace(/\s+/g, " ");
  const { examples, exits } = await load();
  const lines = Object.entries(examples).flat();
  expect(lines.length).toBeGreaterThan(0);
  for (const text of [...lines, ...Object.entries(exits).map((exit) => exit.join(" "))])
    expect(words).toContain(text);
});

it("help, version and no words on a terminal do what --help and --version do", async () => {
  const help = await helpOf(["--help"]);
  for (const { name } of COMMANDS) expect(help).toMatch(new RegExp(`^ +messaging-sim ${name}\\b`, "m"));
  // The options of serve would push the commands off the screen.
  expect(help).not.toContain("--port");
  expect(await helpOf(["help"])).toBe(help);
  expect(await helpOf([], true)).toBe(help);
  expect(await helpOf(["run", "--help"])).toBe(await helpOf(["help", "run"]));
  expect((await run(["version"])).out).toBe(`${await helpOf(["--version"])}\n`);
});

describe("schema", () => {
  it.each(Object.keys(PRINTABLE))("prints %s as JSON", async (name) => {
    const { code, out } = await run(["schema", name]);
    expect(code).toBe(0);
    expect(typeof JSON.parse(out)).toBe("object");
  });

  it("the schema of fixtures accepts the fixture that ships, and refuses another document", async () => {
    const { default: fixture } = await import(DEFAULT_FIXTURE, { with: { type: "json" } });
    const validate = createAjv().compile(JSON.parse((await run(["schema", "fixtures"])).out));
    expect(validate(fixture)).toBe(true);
    expect(validate({ threads: [{}] })).toBe(false);
  });
});

describe("words that cannot be used end with exit code 2 and one line", () => {
  it.each([
    [["serv"], 'unknown command "serv": did you mean "serve"?'],
    [["help", "serv"], 'unknown command "serv": did you mean "serve"?'],
    [["faults"], 'unknown command "faults": messaging-sim help lists the commands'],
    [["schema", "x", "--write"], 'unknown option "--write": it must be --help or --version'],
    [["thread"], 'unknown command "thread": did you mean "threads"?'],
    [["check"], "check needs <file..>"],
    [["check", "--verison"], 'unknown option "--verison": did you mean "--version"?'],
    [["schema"], "schema needs <name>"],
    [["schema", "confg"], 'name: unknown schema "confg": did you mean "config"?'],
    [
      ["schema", "config", "extra"],
      'unknown argument "extra": messaging-sim help schema shows what it takes',
    ],
  ])("%j", async (words, line) => {
    const { code, out, err } = await run(words);
    expect(err.startsWith(line)).toBe(true);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  it("a port in use names --port", async () => {
    const { port } = new URL(await serverOf(() => {}));
    const { code, err } = await run(["serve", "--port", port]);
    expect(code).toBe(2);
    expect(err).toBe(`--port: ${port} is in use on 127.0.0.1: choose another, or 0 for a free one\n`);
  });

  it("a host that is not ours names --host", async () => {
    const { code, err } = await run(["--port=0", "--host=192.0.2.1", "--control-token=off"]);
    expect({ code, err }).toEqual({
      code: 2,
      err: "--host: cannot listen on 192.0.2.1: not an address of this machine\n",
    });
  });

  it("fixtures that need more memory than worlds may take are refused with the figures", async () => {
    const organizations = Array.from({ length: 5_000 }, (_, n) => ({
      id: String(n + 1),
      name: "x".repeat(100),
    }));
    const path = file("large.json", JSON.stringify({ organizations }));
    const { code, err } = await run(["serve", "--port=0", "--memory", "2MiB", "--fixtures", path]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /fixtures: need \d+(\.\d)? MiB of memory, but worlds may use 1\.5 MiB: raise --memory or use fewer records/,
    );
  });

  it("a value is refused where it was given", async () => {
    const message = "ftp://x is neither a folder nor a server address (valkey, valkeys, redis, rediss)\n";
    const config = file("c.yaml", "port: 0\ndata: ftp://x\n");
    expect((await run(["serve", "--port=0", "--data", "ftp://x"])).err).toBe(`--data: ${message}`);
    expect((await run(["serve", "--config", config])).err).toBe(`${config}:2:7  data: ${message}`);
  });

  it("a bad fixture names its places, a line each", async () => {
    const path = file("fixture.json", '{ "organizations": [\n{ "id": "1" },\n{ "id": "01", "name": "B" }] }');
    const { code, err } = await run(["--port=0", "--fixtures", path]);
    expect(code).toBe(2);
    expect(err.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/fixture\.json:2:1 {2}organizations\[0\]\.name: is missing$/),
      expect.stringMatching(/fixture\.json:3:9 {2}organizations\[1\]\.id: must be digits/),
    ]);
  });
});

import { expect, it, vi } from "vitest";
import { COMMANDS } from "../../src/cli/commands.js";
import { PRINTABLE } from "../../src/cli/schema.js";
import { keysOf } from "../../src/kernel/objects.js";
import { begin, run } from "./terminal.js";

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

it.each(keysOf(PRINTABLE))("schema prints %s as JSON", async (name) => {
  const { code, out } = await run(["schema", name]);
  expect([code, JSON.parse(out)]).toEqual([0, JSON.parse(JSON.stringify(await PRINTABLE[name]()))]);
});

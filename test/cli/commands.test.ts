import { expect, it } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { PRINTABLE } from "../../src/cli/schema.js";
import { keysOf } from "../../src/kernel/objects.js";
import { VERSION } from "../../src/kernel/packages.js";
import { run } from "./terminal.js";

const COMMANDS = await allCommands();

async function printed(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

it.each(COMMANDS)(
  "the help of $name shows its arguments, options, examples and exit codes",
  async (command) => {
    const { name, positionals, load } = command;
    const words = (await printed("help", name)).replace(/\s+/g, " ");
    const { options, examples, exits } = await load();
    expect(words).toContain(`messaging-sim ${name} ${positionals}`.trim());
    for (const [option, { positional, declared }] of Object.entries(options)) {
      expect(words).toContain(positional ? ` ${option} ` : `--${option}`);
      expect(words).toContain((declared.describe ?? "").replace(/\s+/g, " "));
    }
    const lines = Object.entries(examples).flat();
    expect(lines.length).toBeGreaterThan(0);
    for (const text of [...lines, ...Object.entries(exits).map((exit) => exit.join(" "))])
      expect(words).toContain(text);
  },
);

it("without a command, the help lists the commands in groups, serve first", async () => {
  const help = await printed();
  const names = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(names).toEqual(COMMANDS.map(({ name }) => name));
  expect(names[0]).toBe("serve");
  const groups = [...help.matchAll(/^(\w+):$/gm)].map(([, group]) => group);
  expect(groups).toEqual(["Simulator", "Conversations", "Scenarios", "Other", "Options"]);
  for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
  for (const words of [["help"], ["--help"], ["-h"]]) expect(await printed(...words)).toBe(help);
});

it("help and version are words and options", async () => {
  expect(await printed("run", "--help")).toBe(await printed("help", "run"));
  expect(await printed("say", "-h")).toBe(await printed("help", "say"));
  expect(await printed("help", "trigger")).toBe(await printed("help", "emit"));
  for (const words of [["version"], ["--version"], ["-v"], ["run", "--version"]])
    expect(await printed(...words)).toBe(`${VERSION}\n`);
});

it.each(keysOf(PRINTABLE))("schema prints %s as JSON", async (name) => {
  expect(JSON.parse(await printed("schema", name))).toEqual(
    JSON.parse(JSON.stringify(await PRINTABLE[name]())),
  );
});

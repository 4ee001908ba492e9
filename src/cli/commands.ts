import { VERSION } from "../kernel/packages.js";
import { UnusableDocument } from "../kernel/problems.js";
import { nearest, preview } from "../kernel/words.js";
import type { Command, CommandGroup } from "./command.js";
import { helpOf, readWords } from "./program.js";
import { OK, type Terminal } from "./terminal.js";

type Row = readonly [description: string, load: Command["load"]];

/** Group; command with its arguments, in yargs' notation; description; module, which is loaded when it runs. */
const TABLE: Readonly<Record<CommandGroup, Readonly<Record<string, Row>>>> = {
  Simulator: {
    serve: ["Start the simulator", async () => (await import("./serve.js")).SERVE],
    tail: [
      "Follow calls, deliveries, warnings and state changes",
      async () => (await import("./follow.js")).TAIL,
    ],
  },
  Conversations: {
    "chat <thread>": [
      "Chat as the customer: type messages, and see replies and webhooks as they arrive",
      async () => (await import("./follow.js")).CHAT,
    ],
  },
  Scenarios: {
    "run <scenario..>": ["Run scenario files", async () => (await import("./run.js")).RUN],
    "check <file..>": [
      "Check fixture, scenario, behaviour, config and fault files",
      async () => (await import("./check.js")).CHECK,
    ],
    record: [
      "Print the history of a running sandbox as a scenario",
      async () => (await import("./record.js")).RECORD,
    ],
    "challenge <scenario..>": [
      "Rerun scenarios, injecting one failure at a time, and report what breaks",
      async () => (await import("./challenge.js")).CHALLENGE,
    ],
    coverage: [
      "Show which API responses and events your program has handled",
      async () => (await import("./coverage.js")).COVERAGE,
    ],
    "compare [scenario..]": [
      "Compare the simulator with another server, and explain the differences",
      async () => (await import("./compare.js")).COMPARE,
    ],
  },
  Other: {
    generate: [
      "Write a generated fixture to standard output",
      async () => (await import("./generate.js")).GENERATE,
    ],
    "schema <name>": [
      "Print a JSON Schema or an API description",
      async () => (await import("./schema.js")).SCHEMA,
    ],
    mcp: [
      "Serve tools to coding assistants over the Model Context Protocol",
      async () => (await import("./mcp.js")).MCP,
    ],
  },
};

const OWN: readonly Command[] = Object.entries(TABLE).flatMap(([group, rows]) =>
  Object.entries(rows).map(([usage, [description, load]]) => {
    const [name = "", ...positionals] = usage.split(" ");
    return { name, positionals: positionals.join(" "), description, group: group as CommandGroup, load };
  }),
);

/** All commands, in the order of the help. */
export async function allCommands(): Promise<readonly Command[]> {
  const { CONTROL_COMMANDS } = await import("./control-commands.js");
  const [serve, ...others] = OWN;
  const all = [...(serve ? [serve] : []), ...CONTROL_COMMANDS, ...others];
  return Object.keys(TABLE).flatMap((group) => all.filter((one) => one.group === group));
}

/** @throws UnusableDocument if there is no such command */
async function commandNamed(given: string): Promise<Command> {
  // Its other name.
  const name = given === "trigger" ? "emit" : given;
  const own = OWN.find((one) => one.name === name);
  if (own !== undefined) return own;
  const all = await allCommands();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const meant = nearest(
    name,
    all.map((one) => one.name),
  );
  const hint = meant === undefined ? "messaging-sim help lists the commands" : `did you mean "${meant}"?`;
  throw new UnusableDocument([{ path: "", message: `unknown command ${preview(given)}: ${hint}` }]);
}

/** The commands by group, as `messaging-sim help` shows them. */
async function overview(): Promise<string> {
  const all = (await allCommands()).map((one) => ({
    ...one,
    usage: `${one.name} ${one.positionals}`.trim(),
  }));
  const width = Math.max(...all.map(({ usage }) => usage.length));
  const groups = Object.keys(TABLE).map((group) => {
    const lines = all
      .filter((one) => one.group === group)
      .map(({ usage, description }) => `  ${usage.padEnd(width)}  ${description}\n`);
    return `${group}:\n${lines.join("")}`;
  });
  return [
    "messaging-sim <command> [options]\n",
    ...groups,
    "Options:\n  -h, --help     show this help, or with a command its options, examples and exit codes\n  -v, --version  print the version\n",
  ].join("\n");
}

const HELP = ["help", "--help", "-h"];
const VERSION_WORDS = ["version", "--version", "-v"];

/** Runs the command in a command line; without one, shows the help. Options alone are those of `serve`. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "help", ...rest] = words;
  const print = (text: string) => {
    terminal.out(text);
    return OK;
  };
  try {
    if (VERSION_WORDS.includes(first)) return print(`${VERSION}\n`);
    const asksForHelp = HELP.includes(first);
    if (asksForHelp && rest.length === 0) return print(await overview());
    const isBare = !asksForHelp && first.startsWith("-");
    const [name = "", ...given] = isBare ? ["serve", ...words] : asksForHelp ? rest : words;
    const command = await commandNamed(name);
    const module = await command.load();
    const read = readWords(command, module, asksForHelp ? ["--help"] : given);
    if (read.asksForHelp) return print(await helpOf(command, module));
    if (read.asksForVersion) return print(`${VERSION}\n`);
    return await module.run(read.args, terminal);
  } catch (error) {
    const { explain } = await import("./scenario-files.js");
    return explain(error, terminal);
  }
}

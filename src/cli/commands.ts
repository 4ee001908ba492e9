import { VERSION } from "../kernel/packages.js";
import { type Command, command, optionalWords } from "./command.js";
import { OK, type Terminal } from "./terminal.js";

type ControlCommands = typeof import("./control-commands.js")["CONTROL_COMMANDS"];

const controlCommand = (name: keyof ControlCommands) => async () =>
  (await import("./control-commands.js")).CONTROL_COMMANDS[name];

/** `messaging-sim help [command]` */
const HELP = command({
  options: { command: optionalWords("the command; without one, all commands are listed") },
  examples: {
    "messaging-sim help": "lists the commands",
    "messaging-sim help run": "the same as messaging-sim run --help",
  },
  exits: { 0: "the help was printed", 2: "there is no such command" },
  run: ({ command: names }, terminal) => runCommand([...names, "--help"], terminal),
});

/** `messaging-sim version` */
const VERSION_COMMAND = command({
  options: {},
  examples: {
    "messaging-sim version": "the same as messaging-sim --version",
  },
  exits: { 0: "the version was printed" },
  run: async (_values, { out }) => {
    out(`${VERSION}\n`);
    return OK;
  },
});

/** Command and positionals, in yargs' notation; description; module, which is loaded when it runs. */
const TABLE: Readonly<Record<string, readonly [description: string, load: Command["load"]]>> = {
  serve: ["Start the simulator (the default command)", async () => (await import("./serve.js")).SERVE],
  "run <scenario..>": ["Run scenario files", async () => (await import("./run.js")).RUN],
  "challenge <scenario..>": [
    "Run scenarios with one thing changed at a time, and show which changes break the system under test",
    async () => (await import("./challenge.js")).CHALLENGE,
  ],
  "check <file..>": [
    "Check fixture, scenario, behaviour, config and fault files; their kind is detected from their content",
    async () => (await import("./check.js")).CHECK,
  ],
  generate: [
    "Write a generated fixture to standard output; the same seed gives the same bytes",
    async () => (await import("./generate.js")).GENERATE,
  ],
  record: [
    "Print the history of a running sandbox as a scenario",
    async () => (await import("./state.js")).RECORD,
  ],
  state: [
    "Print the state of a running sandbox as a fixture",
    async () => (await import("./state.js")).STATE,
  ],
  "compare [scenario..]": [
    "Compare the simulator with another server, and show which behaviour values explain the differences",
    async () => (await import("./compare.js")).COMPARE,
  ],
  coverage: [
    "Show which documented outcomes the system under test has met",
    async () => (await import("./coverage.js")).COVERAGE,
  ],
  threads: [
    "List the threads: id, channel, status, window, customer, last message",
    controlCommand("threads"),
  ],
  "say <thread> <text..>": ["Send a message as the customer of a thread", controlCommand("say")],
  "window <thread> <state>": ["Open or close the messaging window of a thread", controlCommand("window")],
  "advance <duration>": [
    "Advance the sandbox's clock; everything that falls due runs, in order",
    controlCommand("advance"),
  ],
  "transfer <thread> <business>": ["Move a thread to another business", controlCommand("transfer")],
  "emit <event> [fields..]": [
    "Emit a message or transfer event with the given fields (key=value), without changing state",
    controlCommand("emit"),
  ],
  "connect <address>": ["Point every webhook of the sandbox at an address", controlCommand("connect")],
  reset: ["Reset the sandbox to its initial state", controlCommand("reset")],
  tail: [
    "Follow calls, deliveries, warnings and state changes",
    async () => (await import("./follow.js")).TAIL,
  ],
  "chat <thread>": [
    "Chat as the customer: type messages, and see replies and webhooks as they arrive",
    async () => (await import("./follow.js")).CHAT,
  ],
  mcp: [
    "Serve the simulator's tools to coding assistants over the Model Context Protocol",
    async () => (await import("./mcp.js")).MCP,
  ],
  "schema <name>": [
    "Print a JSON Schema or an API description",
    async () => (await import("./schema.js")).SCHEMA,
  ],
  "help [command]": ["Show the commands, or the options of one", async () => HELP],
  version: ["Print the version", async () => VERSION_COMMAND],
};

/** Other names of commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = { trigger: "emit" };

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = Object.entries(TABLE).map(([usage, [description, load]]) => {
  const [name = "", ...positionals] = usage.split(" ");
  return { name, positionals: positionals.join(" "), description, load };
});

/**
 * Runs the command in a command line, or `serve` if it is empty or starts with an option. On a terminal, an empty one shows the
 * help instead.
 */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { readCommandLine } = await import("./program.js");
  const [first = "", ...rest] = words;
  const argv = Object.hasOwn(OTHER_NAMES, first) ? [OTHER_NAMES[first] as string, ...rest] : words;
  if (argv.length === 0 && terminal.isInteractive) return runCommand(["help"], terminal);
  try {
    const called = await readCommandLine(COMMANDS, argv);
    return called === undefined ? OK : await called.module.run(called.args, terminal);
  } catch (error) {
    const { explain } = await import("./scenario-files.js");
    return explain(error, terminal);
  }
}

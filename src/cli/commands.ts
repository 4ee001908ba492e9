import { UnusableDocument } from "../kernel/problems.js";
import type { Command } from "./command.js";
import { OK, refuse, type Terminal } from "./terminal.js";

type ControlCommands = typeof import("./control-commands.js")["CONTROL_COMMANDS"];

const controlCommand = (name: keyof ControlCommands) => async () =>
  (await import("./control-commands.js")).CONTROL_COMMANDS[name];

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    positionals: "",
    description: "Start the simulator (also without a command)",
    load: async () => (await import("./serve.js")).SERVE,
  },
  {
    name: "run",
    positionals: "<scenario..>",
    description: "Run scenario files",
    load: async () => (await import("./run.js")).RUN,
  },
  {
    name: "challenge",
    positionals: "<scenario..>",
    description: "Run scenarios in a world that is less kind, and show where the system under test breaks",
    load: async () => (await import("./challenge.js")).CHALLENGE,
  },
  {
    name: "check",
    positionals: "<file..>",
    description: "Check fixture, scenario, behaviour, config and fault files, told apart by their content",
    load: async () => (await import("./check.js")).CHECK,
  },
  {
    name: "generate",
    positionals: "",
    description: "Write a made-up fixture to standard output; the same seed gives the same bytes",
    load: async () => (await import("./generate/command.js")).GENERATE,
  },
  {
    name: "record",
    positionals: "",
    description: "Print what a running sandbox has been through as a scenario that replays it",
    load: async () => (await import("./state.js")).RECORD,
  },
  {
    name: "state",
    positionals: "",
    description: "Print a running sandbox's state as a fixture, or with --bundle all of it as one file",
    load: async () => (await import("./state.js")).STATE,
  },
  {
    name: "compare",
    positionals: "<scenario..>",
    description: "Run scenarios against the simulator and another address, and show where the answers differ",
    load: async () => (await import("./compare.js")).COMPARE,
  },
  {
    name: "coverage",
    positionals: "[file..]",
    description: "Show which outcomes the system under test has met, in a running simulator or in reports",
    load: async () => (await import("./coverage.js")).COVERAGE,
  },
  {
    name: "load",
    positionals: "<scenario..>",
    description:
      "Play scenarios as many customers at once, and tell how fast and how rightly they were answered",
    load: async () => (await import("./load.js")).LOAD,
  },
  {
    name: "health",
    positionals: "",
    description: "Ask whether a simulator serves",
    load: async () => (await import("./health.js")).HEALTH,
  },
  {
    name: "say",
    positionals: "<thread> <text..>",
    description: "Write as the customer of a thread",
    load: controlCommand("say"),
  },
  {
    name: "window",
    positionals: "<thread> <state>",
    description: "Open or close a thread's messaging window: open or closed",
    load: controlCommand("window"),
  },
  {
    name: "advance",
    positionals: "<duration>",
    description: "Move the sandbox's clock on; what falls due happens",
    load: controlCommand("advance"),
  },
  {
    name: "transfer",
    positionals: "<thread> <business>",
    description: "Move a thread to another business",
    load: controlCommand("transfer"),
  },
  {
    name: "trigger",
    positionals: "<event> [fields..]",
    description: "Send a message or transfer event as given (key=value), without touching state",
    load: controlCommand("trigger"),
  },
  {
    name: "connect",
    positionals: "<address>",
    description: "Point every webhook of the sandbox at an address",
    load: controlCommand("connect"),
  },
  {
    name: "reset",
    positionals: "",
    description: "Put the sandbox back to its start",
    load: controlCommand("reset"),
  },
  {
    name: "tail",
    positionals: "",
    description: "Follow calls, deliveries, warnings and state changes",
    load: async () => (await import("./follow.js")).TAIL,
  },
  {
    name: "chat",
    positionals: "<thread>",
    description:
      "Be the customer: lines typed are messages, replies and what the bot did are shown as they come",
    load: async () => (await import("./follow.js")).CHAT,
  },
  {
    name: "completion",
    positionals: "<shell>",
    description: "Print the script that lets bash, zsh or fish complete commands and options",
    load: async () => (await import("./program.js")).COMPLETION,
  },
  {
    name: "schema",
    positionals: "<name>",
    description: "Print a JSON Schema or an API description",
    load: async () => (await import("./schema.js")).SCHEMA,
  },
];

/** What the scripts of `completion` ask, with the words that have been typed. */
const COMPLETIONS = "--completions";

/** Runs the command that a command line names; `serve` when it begins with an option or is empty. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { completionsOf, readCommandLine } = await import("./program.js");
  const [first, ...rest] = argv;
  if (first === COMPLETIONS) {
    for (const completion of await completionsOf(COMMANDS, rest)) terminal.out(`${completion}\n`);
    return OK;
  }
  try {
    const called = await readCommandLine(COMMANDS, argv);
    return called === undefined ? OK : await called.module.run(called.args, terminal);
  } catch (error) {
    if (!(error instanceof UnusableDocument)) throw error;
    return refuse(terminal, error.problems);
  }
}

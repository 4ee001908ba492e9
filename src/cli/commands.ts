import { unknownKey } from "../kernel/words.js";
import type { Command } from "./command.js";
import { OK, refuse, type Terminal } from "./terminal.js";

type ByHand = typeof import("./by-hand.js")["BY_HAND"];

const byHand = (name: keyof ByHand) => async () => (await import("./by-hand.js")).BY_HAND[name];

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    positionals: "",
    description: "Start the simulator (also without a command)",
    load: async () => (await import("./serve-help.js")).SERVE,
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
    load: async () => (await import("./record.js")).RECORD,
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
    load: byHand("say"),
  },
  {
    name: "window",
    positionals: "<thread> <state>",
    description: "Open or close a thread's messaging window: open or closed",
    load: byHand("window"),
  },
  {
    name: "advance",
    positionals: "<duration>",
    description: "Move the sandbox's clock on; what falls due happens",
    load: byHand("advance"),
  },
  {
    name: "transfer",
    positionals: "<thread> <business>",
    description: "Move a thread to another business",
    load: byHand("transfer"),
  },
  {
    name: "trigger",
    positionals: "<event> [fields..]",
    description: "Send a message or transfer event as given (key=value), without touching state",
    load: byHand("trigger"),
  },
  {
    name: "connect",
    positionals: "<address>",
    description: "Point every webhook of the sandbox at an address",
    load: byHand("connect"),
  },
  {
    name: "reset",
    positionals: "",
    description: "Put the sandbox back to its start",
    load: byHand("reset"),
  },
  {
    name: "tail",
    positionals: "",
    description: "Follow calls, deliveries, warnings and state changes",
    load: async () => (await import("./tail.js")).TAIL,
  },
  {
    name: "chat",
    positionals: "<thread>",
    description:
      "Be the customer: lines typed are messages, replies and what the bot did are shown as they come",
    load: async () => (await import("./chat.js")).CHAT,
  },
  {
    name: "completion",
    positionals: "<shell>",
    description: "Print the script that lets bash, zsh or fish complete commands and options",
    load: async () => (await import("./completion.js")).COMPLETION,
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

const HELP = ["--help", "-h", "--version", "-v"];

/**
 * Runs the command that a command line names; `serve` when it begins with an option or is empty.
 * `serve` reads its options by itself: yargs costs more time than all the rest of its start.
 */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "serve", ...rest] = argv;
  if (first === COMPLETIONS) {
    const { completionsOf } = await import("./program.js");
    for (const completion of await completionsOf(COMMANDS, rest)) terminal.out(`${completion}\n`);
    return OK;
  }
  const name = first.startsWith("-") ? "serve" : first;
  const known = COMMANDS.map((command) => command.name);
  if (!known.includes(name))
    return refuse(terminal, [{ path: "", message: unknownKey("command", name, known) }]);
  if (name === "serve" && !argv.some((word) => HELP.includes(word))) {
    const { serve } = await import("./serve.js");
    return serve(first === "serve" ? rest : argv, terminal);
  }
  const { runWithYargs } = await import("./program.js");
  return runWithYargs(COMMANDS, argv, terminal);
}

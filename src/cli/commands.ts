import { unknownKey } from "../kernel/words.js";
import type { Command } from "./command.js";
import { refuse, type Terminal } from "./terminal.js";

const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    positionals: "",
    description: "Start the simulator (also without a command)",
    load: async () => (await import("./serve-help.js")).SERVE,
  },
  {
    name: "run",
    positionals: "<scenario..>",
    description: "Run scenario files; exit code 0 when all pass, 1 when one fails, 2 when a file is unusable",
    load: async () => (await import("./run.js")).RUN,
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
    load: async () => (await import("./generate.js")).GENERATE,
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
    name: "health",
    positionals: "",
    description: "Ask whether a simulator serves; exit code 0 when it does, 1 when it does not",
    load: async () => (await import("./health.js")).HEALTH,
  },
  {
    name: "schema",
    positionals: "<name>",
    description: "Print a JSON Schema or an API description",
    load: async () => (await import("./schema.js")).SCHEMA,
  },
];

const HELP = ["--help", "-h", "--version", "-v"];

/**
 * Runs the command that a command line names; `serve` when it begins with an option or is empty.
 * `serve` reads its options by itself: yargs costs more time than all the rest of its start.
 */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "serve"] = argv;
  const name = first.startsWith("-") ? "serve" : first;
  const known = COMMANDS.map((command) => command.name);
  if (!known.includes(name))
    return refuse(terminal, [{ path: "", message: unknownKey("command", name, known) }]);
  if (name === "serve" && !argv.some((word) => HELP.includes(word))) {
    const { serve } = await import("./serve.js");
    return serve(first === "serve" ? argv.slice(1) : argv, terminal);
  }
  const { runWithYargs } = await import("./program.js");
  return runWithYargs(COMMANDS, argv, terminal);
}

import { unknownKey } from "../kernel/words.js";
import type { Command } from "./command.js";
import { refuse, type Terminal } from "./terminal.js";

const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    positionals: "",
    words: "Start the simulator (also without a command)",
    load: async () => (await import("./serve-help.js")).SERVE,
  },
  {
    name: "run",
    positionals: "<scenario..>",
    words: "Run scenario files; exit code 0 when all pass, 1 when one fails, 2 when a file is unusable",
    load: async () => (await import("./run.js")).RUN,
  },
  {
    name: "check",
    positionals: "<file..>",
    words: "Check fixture, scenario, behaviour, config and fault files, told apart by their content",
    load: async () => (await import("./check.js")).CHECK,
  },
  {
    name: "generate",
    positionals: "",
    words: "Write a made-up fixture to standard output; the same seed gives the same bytes",
    load: async () => (await import("./generate.js")).GENERATE,
  },
  {
    name: "record",
    positionals: "",
    words: "Print what a running sandbox has been through as a scenario that replays it",
    load: async () => (await import("./record.js")).RECORD,
  },
  {
    name: "compare",
    positionals: "<scenario..>",
    words: "Run scenarios against the simulator and another address, and show where the answers differ",
    load: async () => (await import("./compare.js")).COMPARE,
  },
  {
    name: "schema",
    positionals: "<name>",
    words: "Print a JSON Schema or an API description",
    load: async () => (await import("./schema.js")).SCHEMA,
  },
];

const HELP = ["--help", "-h", "--version", "-v"];

/**
 * Runs the command that the words of a command line name; `serve` when they begin with an option or are none.
 * `serve` reads its words by itself: yargs costs more time than all the rest of its start.
 */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "serve"] = words;
  const name = first.startsWith("-") ? "serve" : first;
  const known = COMMANDS.map((command) => command.name);
  if (!known.includes(name))
    return refuse(terminal, [{ path: "", message: unknownKey("command", name, known) }]);
  if (name === "serve" && !words.some((word) => HELP.includes(word))) {
    const { serve } = await import("./serve.js");
    return serve(first === "serve" ? words.slice(1) : words, terminal);
  }
  const { runWithYargs } = await import("./program.js");
  return runWithYargs(COMMANDS, words, terminal);
}

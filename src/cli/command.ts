import type { Argv } from "yargs";
import type { Terminal } from "./terminal.js";

/** What a command's module holds. */
export interface CommandModule {
  /** Declares positionals and options, for `--help` and for reading them. */
  readonly declare: (yargs: Argv) => Argv;
  /** Does it; the exit code comes back. `args` are what yargs read. */
  readonly run: (args: Readonly<Record<string, unknown>>, terminal: Terminal) => Promise<number>;
}

/** What yargs read for an option or positional that is given once at most. */
export function textOf(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const text = args[name];
  return text === undefined ? undefined : String(text);
}

/** One command; its module is loaded when it is called. */
export interface Command {
  readonly name: string;
  /** Its positionals, as yargs writes them: `<file..>`. */
  readonly positionals: string;
  readonly description: string;
  readonly load: () => Promise<CommandModule>;
}

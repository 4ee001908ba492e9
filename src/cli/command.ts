import type { Argv } from "yargs";
import type { Problem } from "../kernel/problems.js";
import type { OptionTable, Values } from "./options.js";
import { Unreadable } from "./options.js";
import { refuse, type Terminal } from "./terminal.js";

type Args = Readonly<Record<string, unknown>>;

/** What help and pages show of a command, beside its options. */
interface CommandHelp {
  /** Command lines that do something by themselves, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** When it ends with which code. */
  readonly exits: Readonly<Record<number, string>>;
  /** Stands below the options. */
  readonly epilogue?: string;
}

/** What a command's module holds. */
export interface CommandModule extends CommandHelp {
  readonly options: OptionTable;
  /** Declares positionals and options to yargs. */
  readonly declare: (yargs: Argv) => Argv;
  /** Does it; the exit code comes back. `args` are what yargs read. */
  readonly run: (args: Args, terminal: Terminal) => Promise<number>;
}

/** What a command is, beside its name. */
interface Declared<O extends OptionTable> extends CommandHelp {
  readonly options: O;
  /** What is wrong with the options together; those that cannot be read have no values. `names`: those that are there. */
  readonly problems?: (values: Partial<Values<O>>, names: readonly string[]) => readonly Problem[];
  readonly run: (values: Values<O>, terminal: Terminal) => Promise<number>;
}

/** A command whose options come from a table. */
export const command = <O extends OptionTable>({
  options,
  problems,
  run,
  ...help
}: Declared<O>): CommandModule => ({
  ...help,
  options,
  declare: (yargs) => {
    for (const [name, { declared, positional }] of Object.entries(options))
      if (positional) yargs.positional(name, { ...declared, type: "string" });
      else yargs.option(name, declared);
    return yargs.epilogue(
      [...(help.epilogue === undefined ? [] : [help.epilogue]), ...endOf(help)].join("\n\n"),
    );
  },
  run: async (args, terminal) => {
    const unreadable: Problem[] = [];
    const values = readAll(options, args, terminal.env, unreadable);
    const found = [...(problems?.(values, Object.keys(args)) ?? []), ...unreadable];
    return found.length > 0 ? refuse(terminal, found) : run(values, terminal);
  },
});

/** Examples and exit codes as help shows them. */
const endOf = ({ examples, exits }: CommandHelp): string[] => [
  ["Examples:", ...examples.map(([line, does]) => `  ${line}\n      ${does}`)].join("\n"),
  ["Exit codes:", ...Object.entries(exits).map(([code, when]) => `  ${code}  ${when}`)].join("\n"),
];

/** The values of all options; those that cannot be read are left out, and `problems` gets why. */
function readAll<O extends OptionTable>(
  options: O,
  args: Args,
  env: Terminal["env"],
  problems: Problem[],
): Values<O> & Partial<Values<O>> {
  const values = Object.entries(options).flatMap(([name, { read, positional }]) => {
    const texts = [args[name]].flat().filter((value) => value !== undefined);
    try {
      const key = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return [[key, read(texts.map(String), env)]];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(...error.messages.map((message) => ({ path: positional ? name : `--${name}`, message })));
      return [];
    }
  });
  // Whole where there are no problems.
  return Object.fromEntries(values) as Values<O> & Partial<Values<O>>;
}

/** One command; its module is loaded when it is called. */
export interface Command {
  readonly name: string;
  /** Its positionals, as yargs writes them: `<file..>`. */
  readonly positionals: string;
  readonly description: string;
  readonly load: () => Promise<CommandModule>;
}

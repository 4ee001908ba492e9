/** A command with its options and positionals, each declared once: `--help`, reference pages and values derive from it. */
import type { Options } from "yargs";
import { maskedAddress } from "../kernel/masking.js";
import { programUrl, urlFrom } from "../kernel/names.js";
import { isKeyOf } from "../kernel/objects.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { milliseconds } from "../kernel/units.js";
import { unknownKey } from "../kernel/words.js";
import { type CamelCase, camelCase } from "../server/config/options.js";
import { refuse, type Terminal } from "./terminal.js";

export interface CommandOption<T = unknown> {
  /** The declaration for yargs. */
  readonly declared: Options;
  /** It is a positional argument. */
  readonly positional?: true;
  /** Its value may be left out; otherwise it follows `=`. */
  readonly valueOptional?: true;
  /** Converts the given texts; there are none if the option is omitted. @throws UnusableDocument */
  readonly read: (texts: readonly string[], env: Terminal["env"]) => T;
}

type OptionTable = Readonly<Record<string, CommandOption>>;
/** The values of options, by their names in camelCase. */
export type Values<O extends OptionTable> = {
  readonly [Name in keyof O as CamelCase<Name & string>]: ReturnType<O[Name]["read"]>;
};
/** Converts one text. @throws UnusableDocument */
type Reader<T> = (text: string) => T;

const ONE = { type: "string", requiresArg: true } as const;

/** Refuses the option that is being read, or whatever the path names. */
export const refused = (message: string, path = ""): never => {
  throw new UnusableDocument([{ path, message }]);
};

/** An option with one value. */
const single = <T, M>(
  describe: string,
  read: Reader<T>,
  whenOmitted: () => M,
  declared: Options = {},
): CommandOption<T | M> => ({
  declared: { ...ONE, describe, ...declared },
  read: (texts) => (texts.length === 0 ? whenOmitted() : read(texts.join(","))),
});

export const optional = <T>(describe: string, read: Reader<T>) => single(describe, read, () => undefined);

/** `why` says what it is needed for. */
export const required = <T>(describe: string, read: Reader<T>, why: string) =>
  single(describe, read, () => refused(`is missing: ${why}`));

export const withDefault = <T>(describe: string, read: Reader<T>, preset: string) =>
  single(describe, read, () => read(preset), { default: preset });

export const flag = (describe: string): CommandOption<boolean> => ({
  declared: { type: "boolean", describe },
  read: (texts) => texts.at(-1) === "true",
});

/** A switch that may name a file: `--coverage=FILE`. True without one. */
export const flagOrFile = (describe: string): CommandOption<string | boolean> => ({
  declared: { type: "string", describe },
  valueOptional: true,
  read: (texts) => texts.at(-1) || texts.length > 0,
});

/** An option that can be given more than once. */
export const list = <T>(describe: string, read: Reader<T>): CommandOption<readonly T[]> => ({
  declared: { ...ONE, describe, array: true, nargs: 1 },
  read: (texts) => texts.map(read),
});

/** The name and value in a text. */
const pair: Reader<readonly string[]> = (text) =>
  text.indexOf("=") > 0 ? text.split(/=(.*)/s) : refused(`must be name=value, but is "${text}"`);

export const readPairs = (texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.map(pair));

export const pairs = (describe: string): CommandOption<Readonly<Record<string, string>>> => ({
  ...list(describe, pair),
  read: readPairs,
});

/** A positional argument, which may be omitted if it `isOptional`. */
const positional = <T>(
  describe: string,
  read: CommandOption<T>["read"],
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): CommandOption<T> => ({
  declared: { type: "string", describe, ...(isOptional ? {} : { demandOption: true }) },
  positional: true,
  read,
});

export const word = <T>(describe: string, read: Reader<T>): CommandOption<T> =>
  positional(describe, (texts) => read(texts.join(" ")));

export const words = (describe: string) => positional(describe, (texts) => texts);

export const optionalWords = (describe: string) =>
  positional(describe, (texts) => texts, { isOptional: true });

/** Default: the address from the environment, otherwise the usual one. */
export const simulatorAddress = (preset: string): CommandOption<string> => ({
  declared: {
    ...ONE,
    describe: "the simulator's address",
    defaultDescription: `MESSAGING_SIM_URL, else ${preset}`,
  },
  read: ([text], { MESSAGING_SIM_URL: usual }) =>
    text === undefined && usual ? baseAddress(usual, "MESSAGING_SIM_URL") : baseAddress(text ?? preset),
});

/** Default: the one from the environment. */
export const controlToken = (describe: string): CommandOption<string | undefined> => ({
  declared: { ...ONE, describe },
  read: ([text], { MESSAGING_SIM_CONTROL_TOKEN }) => text ?? MESSAGING_SIM_CONTROL_TOKEN,
});

export const asText: Reader<string> = (text) => (text === "" ? refused("needs a value") : text);

const address = (text: string, path?: string): string =>
  urlFrom(text) ??
  refused(
    `must be an http or https URL such as http://127.0.0.1:3000, but is "${maskedAddress(text)}"`,
    path,
  );

/** The address of a program, or its port on this computer. */
export const programAddress: Reader<string> = (text) => programUrl(text) ?? address(text);

/** The base address of a server; the address of its page in a browser is accepted, too. */
export const baseAddress = (text: string, path?: string): string =>
  address(text, path).replace(/(\/__sim(\/.*)?)?\/*$/, "");

/** A number in a range; `what` names it in messages. */
export const numberIn =
  (what: string, least: number, most: number, form = /^\d+$/): Reader<number> =>
  (text) =>
    form.test(text) && Number(text) >= least && Number(text) <= most
      ? Number(text)
      : refused(`must be ${what}, but is "${text}"`);

export const positive = numberIn("a positive number", 1, Number.MAX_SAFE_INTEGER);

export const percent = numberIn("a number from 0 to 100", 0, 100, /^\d+(\.\d+)?$/);

export const duration =
  (minimum: number): Reader<number> =>
  (text) =>
    milliseconds(text) >= minimum
      ? milliseconds(text)
      : refused(`must be a duration such as 30s, 5m or 25h, but is "${text}"`);

/** One of the keys of a table. */
export const oneOf = <T extends object>(noun: string, table: T): Reader<keyof T> => {
  const names = Object.keys(table);
  return (text) => (isKeyOf(table, text) ? text : refused(unknownKey(noun, text, names)));
};

/** The option `--reporter`, for a table of them; `pretty` if it is omitted. */
export const reporters = <T extends { readonly pretty: unknown }>(table: T): CommandOption<keyof T> =>
  withDefault(Object.keys(table).join(", "), oneOf("reporter", table), "pretty");

/** The same; if it is omitted, the extension of `--out` decides. */
export const reportersOrByFile = <T extends object>(table: T): CommandOption<keyof T | undefined> =>
  optional(
    `${Object.keys(table).join(", ")} (default: by the extension of --out, else pretty)`,
    oneOf("reporter", table),
  );

/** The texts that were given for each option, by its name. */
export type Args = Readonly<Record<string, readonly string[]>>;

/** What help and reference pages show about a command, besides its options. */
export interface CommandHelp {
  /** Complete command lines, each with a description. */
  readonly examples: Readonly<Record<string, string>>;
  /** The exit codes and their meanings. */
  readonly exits: Readonly<Record<number, string>>;
  /** Shown below the options. */
  readonly epilogue?: string;
}

/** The interface of a command's module. */
export interface CommandModule extends CommandHelp {
  readonly options: OptionTable;
  /** Runs it and resolves with the exit code. */
  readonly run: (args: Args, terminal: Terminal) => Promise<number>;
}

/** What defines a command, besides its name. */
interface Declared<O extends OptionTable> extends CommandHelp {
  readonly options: O;
  /** The problems of valid options in combination. */
  readonly problems?: (values: Values<O>) => readonly Problem[];
  readonly run: (values: Values<O>, terminal: Terminal, args: Args) => Promise<number>;
}

/** A command with a table of options. */
export const command = <O extends OptionTable>({
  options,
  problems,
  run,
  ...help
}: Declared<O>): CommandModule => ({
  ...help,
  options,
  run: async (args, terminal) => {
    const unreadable: Problem[] = [];
    const values = valuesOf(options, args, terminal.env, unreadable);
    const found = unreadable.length > 0 ? unreadable : (problems?.(values) ?? []);
    return found.length > 0 ? refuse(terminal, found) : run(values, terminal, args);
  },
});

/** The values of the options, complete if there are no problems: those of invalid ones are added to `problems`. */
function valuesOf<O extends OptionTable>(
  options: O,
  args: Args,
  env: Terminal["env"],
  problems: Problem[],
): Values<O> {
  const values: Record<string, unknown> = {};
  for (const [name, { read, positional }] of Object.entries(options))
    try {
      values[camelCase(name)] = read(args[name] ?? [], env);
    } catch (error) {
      if (!(error instanceof UnusableDocument)) throw error;
      const path = positional ? name : `--${name}`;
      problems.push(...error.problems.map((problem) => ({ ...problem, path: problem.path || path })));
    }
  return values as Values<O>;
}

/** The groups of commands in the help. */
export type CommandGroup = "Simulator" | "Conversations" | "Scenarios" | "Other";

/** One command; its module is loaded when it runs. */
export interface Command {
  readonly name: string;
  readonly group: CommandGroup;
  /** Its positionals, in yargs' notation: `<file..>`. */
  readonly positionals: string;
  readonly description: string;
  readonly load: () => Promise<CommandModule>;
}

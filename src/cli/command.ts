/** A command with its options and positionals, each declared once: `--help`, reference pages and values derive from it. */
import type { Options } from "yargs";
import { milliseconds } from "../kernel/duration.js";
import { isKeyOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { maskedAddress } from "../kernel/secrets.js";
import { unknownKey } from "../kernel/words.js";
import { urlFrom } from "../protocol/names.js";
import { type CamelCase, camelCase } from "../server/config/options.js";
import { refuse, type Terminal } from "./terminal.js";

/** An option has an invalid value; the messages say why. */
export class Unreadable extends Error {
  constructor(
    readonly messages: readonly string[],
    /** The source of the text, if it is not the option. */
    readonly source?: string,
  ) {
    super(messages.join("; "));
  }
}

export interface CommandOption<T = unknown> {
  /** The declaration for yargs. */
  readonly declared: Options;
  /** It is a positional argument. */
  readonly positional?: true;
  /** The values for shell completion, given the words before the current one. */
  readonly choices?: Choices | undefined;
  /** Converts the given texts; there are none if the option is omitted. @throws Unreadable */
  readonly read: (texts: readonly string[], env: Terminal["env"]) => T;
}

export type OptionTable = Readonly<Record<string, CommandOption>>;
/** The values of options, by their names in camelCase. */
export type Values<O extends OptionTable> = {
  readonly [Name in keyof O as CamelCase<Name & string>]: ReturnType<O[Name]["read"]>;
};
/** The form of a value. */
type Choices = (words: readonly string[], env: Terminal["env"]) => Promise<readonly string[]>;
/** Converts one text; `values` lists the possible ones, if known. @throws Unreadable */
type Reader<T> = ((text: string) => T) & { readonly choices?: Choices };

/** The same reader, with a list of values. */
export const among = <T>(read: Reader<T>, choices: Choices): Reader<T> =>
  Object.assign((text: string) => read(text), { choices });

const ONE = { type: "string", requiresArg: true } as const;
const refused = (...messages: readonly string[]): never => {
  throw new Unreadable(messages);
};

export const optional = <T>(describe: string, read: Reader<T>): CommandOption<T | undefined> => ({
  declared: { ...ONE, describe },
  choices: read.choices,
  read: (texts) => (texts.length === 0 ? undefined : read(texts.join(","))),
});

/** `why` says what it is needed for. */
export const required = <T>(describe: string, read: Reader<T>, why: string): CommandOption<T> => ({
  declared: { ...ONE, describe },
  choices: read.choices,
  read: (texts) => (texts.length === 0 ? refused(`is missing: ${why}`) : read(texts.join(","))),
});

export const withDefault = <T>(describe: string, read: Reader<T>, preset: string): CommandOption<T> => ({
  declared: { ...ONE, describe, default: preset },
  choices: read.choices,
  read: (texts) => read(texts.join(",")),
});

export const flag = (describe: string): CommandOption<boolean> => ({
  declared: { type: "boolean", describe },
  read: (texts) => texts.at(-1) === "true",
});

export const list = (describe: string): CommandOption<readonly string[]> => ({
  declared: { ...ONE, describe, array: true, nargs: 1 },
  read: (texts) => texts,
});

/** Name and value of each text. */
export const pairs = (describe: string): CommandOption<Readonly<Record<string, string>>> => ({
  ...list(describe),
  read: (texts) => {
    const wrong = texts.filter((text) => text.indexOf("=") < 1);
    if (wrong.length > 0) refused(...wrong.map((text) => `must be name=value, but is "${text}"`));
    return Object.fromEntries(texts.map((text) => text.split(/=(.*)/s)));
  },
});

/** A positional argument, which may be omitted if it `isOptional`. */
const positional = <T>(
  describe: string,
  read: CommandOption<T>["read"],
  { isOptional = false, choices }: { isOptional?: boolean; choices?: Choices | undefined } = {},
): CommandOption<T> => ({
  declared: { type: "string", describe, ...(isOptional ? {} : { demandOption: true }) },
  positional: true,
  choices,
  read,
});

export const word = <T>(describe: string, read: Reader<T>): CommandOption<T> =>
  positional(describe, (texts) => read(texts.join(" ")), { choices: read.choices });

export const words = (describe: string) => positional(describe, (texts) => texts);

export const optionalWords = (describe: string, choices?: Choices) =>
  positional(describe, (texts) => texts, { isOptional: true, choices });

/** The name and value in each positional text. */
export const positionalPairs = (describe: string) =>
  positional(describe, pairs(describe).read, { isOptional: true });

/** Default: the address from the environment, otherwise the usual one. */
export const simulatorAddress = (describe: string, preset: string): CommandOption<string> => ({
  declared: { ...ONE, describe, defaultDescription: `MESSAGING_SIM_URL, else ${preset}` },
  read: ([text], env) => (text === undefined ? (addressIn(env) ?? preset) : baseAddress(text)),
});

/** The simulator's address in the environment. @throws Unreadable */
export function addressIn({ MESSAGING_SIM_URL }: Terminal["env"]): string | undefined {
  try {
    return MESSAGING_SIM_URL ? baseAddress(MESSAGING_SIM_URL) : undefined;
  } catch (error) {
    throw error instanceof Unreadable ? new Unreadable(error.messages, "MESSAGING_SIM_URL") : error;
  }
}

/** Default: the one from the environment. */
export const controlToken = (describe: string): CommandOption<string | undefined> => ({
  declared: { ...ONE, describe },
  read: ([texts], { MESSAGING_SIM_CONTROL_TOKEN }) => texts ?? MESSAGING_SIM_CONTROL_TOKEN,
});

export const asText: Reader<string> = (text) => (text === "" ? refused("needs a value") : text);

export const address: Reader<string> = (text) =>
  urlFrom(text) ??
  refused(`must be an http or https URL such as http://127.0.0.1:3000, but is "${maskedAddress(text)}"`);

/** The base address of a server; the address of its page in a browser is accepted, too. */
export const baseAddress: Reader<string> = (text) => address(text).replace(/(\/__sim(\/.*)?)?\/*$/, "");

export const positive: Reader<number> = (text) =>
  Number.isSafeInteger(Number(text)) && Number(text) > 0
    ? Number(text)
    : refused(`must be a positive number, but is "${text}"`);

/** A local port; 0: any free one. */
export const port: Reader<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : refused(`must be a port from 0 to 65535, but is "${text}"`);

/** A rate per second: `50/s`, `0.5/s`. */
export const rate: Reader<number> = (text) => {
  const [, digits = "0"] = /^(\d+(?:\.\d+)?)\/s$/.exec(text) ?? [];
  return Number(digits) > 0 ? Number(digits) : refused(`must be a rate such as 50/s, but is "${text}"`);
};

export const percent: Reader<number> = (text) =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) <= 100
    ? Number(text)
    : refused(`must be a number from 0 to 100, but is "${text}"`);

export const duration =
  (minimum: number): Reader<number> =>
  (text) =>
    milliseconds(text) >= minimum
      ? milliseconds(text)
      : refused(`must be a duration such as 30s, 5m or 25h, but is "${text}"`);

/** One of the keys of a table. */
export const oneOf = <T extends object>(noun: string, table: T): Reader<keyof T> => {
  const names = Object.keys(table);
  return among(
    (text) => (isKeyOf(table, text) ? text : refused(unknownKey(noun, text, names))),
    async () => names,
  );
};

/** What yargs read, by name. */
export type Args = Readonly<Record<string, unknown>>;

/** What help and reference pages show about a command, besides its options. */
export interface CommandHelp {
  /** Complete command lines as examples, each with a description. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** The exit codes and their meanings. */
  readonly exits: Readonly<Record<number, string>>;
  /** Shown below the options. */
  readonly epilogue?: string;
}

/** The interface of a command's module. */
export interface CommandModule extends CommandHelp {
  readonly options: OptionTable;
  /** Runs it and resolves with the exit code. `args` are those that yargs parsed. */
  readonly run: (args: Args, terminal: Terminal) => Promise<number>;
}

/** What defines a command, besides its name. */
interface Declared<O extends OptionTable> extends CommandHelp {
  readonly options: O;
  /** The problems of options in combination; invalid ones have no values. `names`: the given ones. */
  readonly problems?: (values: Partial<Values<O>>, names: readonly string[]) => readonly Problem[];
  readonly run: (values: Values<O>, terminal: Terminal) => Promise<number>;
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
    const values = readAll(options, args, terminal.env, unreadable);
    const found = [...(problems?.(values, Object.keys(args)) ?? []), ...unreadable];
    return found.length > 0 ? refuse(terminal, found) : run(values, terminal);
  },
});

/** The values of all options; invalid ones are omitted and added to `problems`. */
function readAll<O extends OptionTable>(
  options: O,
  args: Args,
  env: Terminal["env"],
  problems: Problem[],
): Values<O> & Partial<Values<O>> {
  const values = Object.entries(options).flatMap(([name, { read, positional }]) => {
    const texts = [args[name]].flat().filter((value) => value !== undefined);
    try {
      return [[camelCase(name), read(texts.map(String), env)]];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const path = error.source ?? (positional ? name : `--${name}`);
      problems.push(...error.messages.map((message) => ({ path, message })));
      return [];
    }
  });
  // Complete if there are no problems.
  return Object.fromEntries(values) as Values<O> & Partial<Values<O>>;
}

/** One command; its module is loaded when it runs. */
export interface Command {
  readonly name: string;
  /** Its positionals, in yargs' notation: `<file..>`. */
  readonly positionals: string;
  readonly description: string;
  readonly load: () => Promise<CommandModule>;
}

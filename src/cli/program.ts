import type { Argv } from "yargs";
import yargs from "yargs";
import { fromKeys, keysOf } from "../kernel/keys.js";
import { VERSION } from "../kernel/version.js";
import { unknownKey } from "../kernel/words.js";
import type { Command } from "./command.js";
import { OK, refuse, type Terminal } from "./terminal.js";

const WIDTH = 110;

/** Begins a word that stood behind `--`: no word of a command line can hold it. */
const LITERAL = "\0";

/** The command line as yargs has to see it: it gives no command what stands behind `--`. */
function forYargs(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  if (end < 0) return [...argv];
  return [...argv.slice(0, end), ...argv.slice(end + 1).map((word) => `${LITERAL}${word}`)];
}

/** A value as it was given. */
const asGiven = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(asGiven)
    : typeof value === "string" && value.startsWith(LITERAL)
      ? value.slice(LITERAL.length)
      : value;

/** yargs refused the command line. */
class Refused extends Error {}

/** Runs a command with what yargs reads from the command line, or prints help or the version. */
export async function runWithYargs(
  commands: readonly Command[],
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let code = OK;
  const program = yargs(forYargs(argv))
    .scriptName("messaging-sim")
    .locale("en")
    .parserConfiguration({
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .version(VERSION)
    .alias("help", "h")
    .alias("version", "v")
    .strict()
    .exitProcess(false)
    .wrap(Math.min(WIDTH, process.stdout.columns ?? WIDTH));
  const called = commands.find(({ name }) => name === argv[0]);
  for (const command of commands) {
    const form = `${command.name} ${command.positionals}`.trim();
    const forms = command.name === "serve" ? [form, "$0"] : form;
    if (command !== (called ?? commands.find(({ name }) => name === "serve"))) {
      program.command(forms, command.description);
      continue;
    }
    const { declare, run } = await command.load();
    program.command(forms, command.description, declare, async (args) => {
      code = await run(
        fromKeys(keysOf(args), (name) => asGiven(args[name])),
        terminal,
      );
    });
  }
  program.fail((message, error) => {
    throw error ?? new Refused(inOwnWords(message, program, called).replaceAll(LITERAL, ""));
  });
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return refuse(terminal, [{ path: "", message: error.message }]);
  }
  return code;
}

/** What may stand for the last word of a command line, which may be begun; the first is the program's name. */
export async function completionsOf(
  commands: readonly Command[],
  [, first = "", ...rest]: readonly string[],
): Promise<string[]> {
  const begun = rest.at(-1);
  if (begun === undefined) return commands.map(({ name }) => name).filter((name) => name.startsWith(first));
  const called = commands.find(({ name }) => name === first);
  if (called === undefined || !begun.startsWith("-")) return [];
  const program = yargs([]);
  (await called.load()).declare(program);
  const { key } = (program as unknown as Internals).getOptions();
  const positional = positionalsOf(called);
  const flags = Object.keys(key).filter((name) => name.length > 1 && !positional.includes(name));
  return flags.map((name) => `--${name}`).filter((flag) => flag.startsWith(begun));
}

const positionalsOf = (command: Command | undefined): string[] =>
  [...(command?.positionals ?? "").matchAll(/[\w-]+/g)].map(([name]) => name);

/** What yargs knows while it refuses something; its types leave it out. */
interface Internals {
  readonly parsed: { readonly argv: Readonly<Record<string, unknown>> } | false;
  getOptions(): { readonly key: Readonly<Record<string, unknown>> };
}

/** One line about what was refused. Options that nobody knows come first: they are often why something else is missing. */
function inOwnWords(message: string, program: Argv, command: Command | undefined): string {
  const internals = program as unknown as Internals;
  const { parsed } = internals;
  const flagOf = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);
  const known = Object.keys(internals.getOptions().key);
  const positional = positionalsOf(command);
  const unknown = Object.keys(parsed === false ? {} : parsed.argv).filter(
    (name) => !["_", "$0", ...known, ...positional].includes(name),
  );
  if (unknown.length > 0)
    return unknown.map((name) => unknownKey("option", flagOf(name), known.map(flagOf))).join("; ");
  if (message.startsWith("Not enough non-option arguments"))
    return `${command?.name} needs ${command?.positionals}`;
  return message.replace(/^U/, "u").split("\n").filter(Boolean).join(" ");
}

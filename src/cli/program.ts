/** The command line, parsed by yargs: commands, options, help. */
import type { Argv } from "yargs";
import yargs from "yargs";
import { fromKeys, keysOf } from "../kernel/objects.js";
import { VERSION } from "../kernel/packages.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { nearest, preview, unknownKey } from "../kernel/words.js";
import type { Args, Command, CommandModule } from "./command.js";
import { OK } from "./terminal.js";

const WIDTH = 110;

/** The prefix of a word that yargs must not interpret; no command line can contain it. */
const LITERAL = "\0";

/** yargs hides words after `--` from commands, reads a last word `help` as `--help`, and `-1h` as a list of switches. */
function forYargs(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const isWord = (text: string, index: number) => index > end || text === "help" || /^-[\d.]/.test(text);
  return argv.flatMap((text, index) =>
    index === end ? [] : isWord(text, index) ? `${LITERAL}${text}` : text,
  );
}

/** A value, or the values, of an option, as they were given. */
const asGiven = (value: unknown): string[] =>
  [value ?? []].flat().map((text) => String(text).replace(LITERAL, ""));

/** What `--help` alone shows below the list of commands; the options of serve would push that list off the screen. */
const OVERVIEW: CommandModule = {
  options: {},
  examples: {
    "messaging-sim serve": "starts the simulator",
    "messaging-sim help serve": "shows the options, examples and exit codes of a command",
  },
  exits: { 0: "success", 1: "an expectation failed", 2: "an option, argument or file is unusable" },
  run: async () => OK,
};

/**
 * Parses a command line. Help and version are printed here; then there is nothing left to run.
 *
 * @throws UnusableDocument for unknown options and arguments, and for missing ones
 */
export async function readCommandLine(
  commands: readonly Command[],
  argv: readonly string[],
): Promise<{ readonly module: CommandModule; readonly args: Args } | undefined> {
  const [first = "-"] = argv;
  const name = first.startsWith("-") ? "serve" : first;
  const called = commands.find((one) => one.name === name);
  if (called === undefined) {
    const meant = nearest(
      name,
      commands.map((one) => one.name),
    );
    const hint = meant === undefined ? "messaging-sim help lists the commands" : `did you mean "${meant}"?`;
    throw new UnusableDocument([{ path: "", message: `unknown command ${preview(name)}: ${hint}` }]);
  }
  let args: Args | undefined;
  // yargs builds the help of a named command on every call, which takes long, but not that of the default command.
  const asksForHelp = argv.some((text) => /^(--help|-h)$/.test(text));
  const words = asksForHelp || first !== name ? argv : argv.slice(1);
  const program = yargs(forYargs(words))
    .scriptName("messaging-sim")
    .locale("en")
    .parserConfiguration({
      "boolean-negation": false,
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
  const isOverview = argv.length === 1 && asksForHelp;
  const module = isOverview ? OVERVIEW : await called.load();
  const formOf = (start: string, { positionals }: Command) => `${start} ${positionals}`.trim();
  program.command(
    asksForHelp ? [formOf(name, called), "$0"] : formOf("$0", called),
    called.description,
    (builder) => declare(builder, module),
    (given) => {
      args = fromKeys(keysOf(given), (key) => asGiven(given[key]));
    },
  );
  if (isOverview)
    program.usage(
      "messaging-sim [command] [options]\n\nWithout a command, it shows this help on a terminal, and otherwise starts the simulator.",
    );
  if (asksForHelp)
    for (const one of commands) if (one !== called) program.command(formOf(one.name, one), one.description);
  program.fail((message, error) => {
    if (error !== undefined && error !== null && error.name !== "YError") throw error;
    throw new UnusableDocument([problemOf(message.replaceAll(LITERAL, ""), program, called, module)]);
  });
  await program.parseAsync();
  if (args === undefined) return undefined;
  const problems = switchProblems(argv, module);
  if (problems.length > 0) throw new UnusableDocument(problems);
  return { module, args };
}

/** Declares the options, positionals and epilogue of a command to yargs. */
function declare(program: Argv, { options, examples, exits, epilogue }: CommandModule): Argv {
  for (const [name, { declared, positional }] of Object.entries(options))
    if (positional) program.positional(name, { ...declared, type: "string" });
    else program.option(name, declared);
  const sections = [
    epilogue,
    ["Examples:", ...Object.entries(examples).map(([line, does]) => `  ${line}\n      ${does}`)].join("\n"),
    ["Exit codes:", ...Object.entries(exits).map(([code, when]) => `  ${code}  ${when}`)].join("\n"),
  ];
  return program.epilogue(sections.filter((section) => section !== undefined).join("\n\n"));
}

/** Switches with a value that yargs would read as false. */
const switchProblems = (argv: readonly string[], { options }: CommandModule): Problem[] =>
  argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined).flatMap((text) => {
    const [, name = "", value = ""] = /^--([^=]+)=(.*)$/s.exec(text) ?? [];
    return options[name]?.declared.type !== "boolean" || /^(true|false)$/.test(value)
      ? []
      : [{ path: `--${name}`, message: `must be true or false, but is ${preview(value)}` }];
  });

/** yargs' state while it refuses something, which its types omit. */
interface Internals {
  readonly parsed: { readonly argv: Readonly<Record<string, unknown>> } | false;
  getOptions(): { readonly key: Readonly<Record<string, unknown>> };
}

/** What yargs refused. Unknown options come first, since they often explain why something else is missing. */
function problemOf(
  message: string,
  program: Argv,
  { name, positionals }: Command,
  { examples }: CommandModule,
): Problem {
  const internals = program as unknown as Internals;
  const { parsed } = internals;
  const flagOf = (key: string) => (key.length === 1 ? `-${key}` : `--${key}`);
  const positional = positionalsOf(positionals);
  const known = Object.keys(internals.getOptions().key).filter((key) => !positional.includes(key));
  const unknown = Object.keys(parsed === false ? {} : parsed.argv).filter(
    (key) => !["_", "$0", ...known, ...positional].includes(key),
  );
  if (unknown.length > 0) {
    const lines = unknown.map((key) => unknownKey("option", flagOf(key), known.map(flagOf)));
    return { path: "", message: lines.join("; ") };
  }
  const [, valueless] = /^Not enough arguments following: (\S+)/.exec(message) ?? [];
  if (valueless !== undefined) return { path: flagOf(valueless), message: "needs a value" };
  if (message.startsWith("Not enough non-option arguments")) {
    const [example] = Object.keys(examples);
    return { path: "", message: `${name} needs ${positionals}, for example: ${example}` };
  }
  const [, extra] = /^Unknown arguments?: (.*)/.exec(message) ?? [];
  if (extra !== undefined)
    return {
      path: "",
      message: `unknown argument "${extra}": messaging-sim help ${name} shows what it takes`,
    };
  return { path: "", message: message.replace(/^U/, "u").split("\n").filter(Boolean).join(" ") };
}

const positionalsOf = (positionals: string): string[] =>
  [...positionals.matchAll(/[\w-]+/g)].map(([name]) => name);

/** The command line: yargs' parser reads it, and yargs writes the help of a command. */
import parser from "yargs-parser";
import { fromKeys } from "../kernel/objects.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { preview, unknownKey } from "../kernel/words.js";
import type { Args, Command, CommandModule } from "./command.js";

/** What every command takes besides its own options. */
const COMMON = { help: ["h"], version: ["v"] };

interface GivenWords {
  /** The texts of options and arguments, by name. */
  readonly args: Args;
  readonly asksForHelp: boolean;
  readonly asksForVersion: boolean;
}

/**
 * Reads the words after the name of a command.
 *
 * @throws UnusableDocument for unknown options and arguments, and for missing ones
 */
export function readWords(command: Command, module: CommandModule, words: readonly string[]): GivenWords {
  const { options } = module;
  const named = Object.keys(options).filter((name) => !options[name]?.positional);
  const isSwitch = (name: string) => options[name]?.declared.type === "boolean";
  const valued = named.filter((name) => !isSwitch(name));
  const isBare = (word: string) => options[word.slice(2)]?.valueOptional === true && word.startsWith("--");
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const own = words.slice(0, end);
  const read = [...own.map((word) => (isBare(word) ? `${word}=` : word)), ...words.slice(end)];
  const { argv, error } = parser.detailed(read, {
    alias: COMMON,
    boolean: [...named.filter(isSwitch), ...Object.keys(COMMON)],
    string: valued,
    narg: fromKeys(
      valued.filter((name) => !options[name]?.valueOptional),
      () => 1,
    ),
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "populate--": true,
      // They are refused below, with the option that was meant.
      "unknown-options-as-args": true,
    },
  });
  const plain = argv._.map(String);
  const texts = Object.fromEntries(named.map((name) => [name, [argv[name] ?? []].flat().map(String)]));
  const asked = { asksForHelp: argv.help === true, asksForVersion: argv.version === true };
  if (asked.asksForHelp || asked.asksForVersion) return { args: texts, ...asked };
  const [, valueless] = /^Not enough arguments following: (\S+)/.exec(error?.message ?? "") ?? [];
  // Unknown options come first, since they often explain why something else is missing.
  const known = [...Object.keys(COMMON), ...named];
  // A negated switch is read as an option of its own.
  const negated = Object.keys(argv).filter((key) => /^no-/.test(key) && !known.includes(key));
  const unknown = [...plain.filter(isOption), ...negated.map((key) => `--${key}`)];
  const problems = [
    ...unknown.map((word) => unknownOption(word, known)),
    ...(valueless === undefined ? [] : [{ path: `--${valueless}`, message: "needs a value" }]),
    ...switchProblems(own, named.filter(isSwitch)),
  ];
  if (problems.length > 0) throw new UnusableDocument(problems);
  return {
    args: { ...texts, ...argumentsIn([...plain, ...(argv["--"] ?? []).map(String)], command, module) },
    ...asked,
  };
}

/** `-1h` is a word, and so is `-`. */
const isOption = (word: string): boolean => /^-[^\d.]/.test(word);

const unknownOption = (word: string, known: readonly string[]): Problem => ({
  path: "",
  message: unknownKey(
    "option",
    word.replace(/=.*/s, ""),
    known.map((name) => `--${name}`),
  ),
});

/** Switches with a value that the parser would read as false. */
const switchProblems = (words: readonly string[], switches: readonly string[]): Problem[] =>
  words.flatMap((text) => {
    const [, name = "", value = ""] = /^--([^=]+)=(.*)$/s.exec(text) ?? [];
    return !switches.includes(name) || /^(true|false)$/.test(value)
      ? []
      : [{ path: `--${name}`, message: `must be true or false, but is ${preview(value)}` }];
  });

/** The words of each argument. @throws UnusableDocument if one is missing, or a word is left */
function argumentsIn(words: readonly string[], command: Command, { examples }: CommandModule): Args {
  const { name, positionals } = command;
  const left = [...words];
  const args: Record<string, readonly string[]> = {};
  for (const [, bracket, argument = "", rest] of positionals.matchAll(/([<[])([\w-]+)(\.\.)?[>\]]/g)) {
    const taken = left.splice(0, rest === undefined ? 1 : left.length);
    if (taken.length === 0 && bracket === "<") {
      const [example] = Object.keys(examples);
      return refuse(`${name} needs ${positionals}, for example: ${example}`);
    }
    args[argument] = taken;
  }
  if (left.length === 0) return args;
  return refuse(`unknown argument "${left.join(" ")}": messaging-sim help ${name} shows what it takes`);
}

function refuse(message: string): never {
  throw new UnusableDocument([{ path: "", message }]);
}

const WIDTH = 110;

/** The help of a command. */
export async function helpOf(command: Command, module: CommandModule): Promise<string> {
  const { default: yargs } = await import("yargs");
  const { options, examples, exits, epilogue } = module;
  const { name, positionals, description } = command;
  const sections = [
    epilogue,
    ["Examples:", ...Object.entries(examples).map(([line, does]) => `  ${line}\n      ${does}`)].join("\n"),
    ["Exit codes:", ...Object.entries(exits).map(([code, when]) => `  ${code}  ${when}`)].join("\n"),
  ];
  const program = yargs([])
    .scriptName(`messaging-sim ${name}`)
    .locale("en")
    .wrap(Math.min(WIDTH, process.stdout.columns ?? WIDTH))
    .alias(fromKeys(Object.keys(COMMON), (option) => COMMON[option as keyof typeof COMMON]))
    .epilogue(sections.filter((section) => section !== undefined).join("\n\n"))
    .command(`$0 ${positionals}`.trim(), description, (builder) => {
      for (const [option, { declared, positional }] of Object.entries(options))
        if (positional) builder.positional(option, { ...declared, type: "string" });
        else builder.option(option, declared);
      return builder;
    });
  return `${await program.getHelp()}\n`;
}

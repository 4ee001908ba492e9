import type { Problem } from "../kernel/problems.js";
import { preview, unknownKey } from "../kernel/words.js";
import type { Source } from "./given.js";
import { isRepeatable, isSwitch } from "./option.js";
import { namesIn, type OptionName, SERVE_OPTIONS } from "./options.js";
import { valueOfTexts } from "./texts.js";

/** Reads the flags of `serve`. `words` are the words behind the command. */
export async function readFlags(words: readonly string[]): Promise<Source> {
  if (words.length === 0) return { given: [], problems: [] };
  const { default: parse } = await import("yargs-parser");
  const names = namesIn("outside");
  const switches = names.filter((name) => isSwitch(SERVE_OPTIONS[name]));
  const { _: others, ...flags } = parse([...words], {
    string: names.filter((name) => !switches.includes(name)),
    boolean: switches,
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    },
  });
  const sources = await Promise.all(
    names
      .filter((name) => Object.hasOwn(flags, name))
      .map((name) => valueOfTexts(name, `--${name}`, textsOf(name, flags[name], words))),
  );
  const unknown = Object.keys(flags).filter((key) => !names.includes(key as OptionName));
  const problems: Problem[] = [
    ...unknown.map((key) => unknownFlag(key, names)),
    ...others.map((word) => ({ path: "", message: `unexpected argument ${preview(word)}` })),
  ];
  return {
    given: sources.flatMap(({ given }) => given),
    problems: [...problems, ...sources.flatMap((source) => source.problems)],
  };
}

function textsOf(name: OptionName, value: unknown, words: readonly string[]): string[] {
  const option = SERVE_OPTIONS[name];
  const texts = [value].flat().map(String);
  if (isRepeatable(option)) return texts;
  // The parser takes every text but "true" for false: what was written decides.
  const written = isSwitch(option)
    ? words.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3))
    : [];
  return [...texts, ...written].slice(-1);
}

function unknownFlag(key: string, names: readonly string[]): Problem {
  const flag = key.length === 1 ? `-${key}` : `--${key}`;
  const known = names.map((name) => `--${name}`);
  const meant = key.startsWith("no-") && names.includes(key.slice(3)) ? `--${key.slice(3)}` : undefined;
  if (meant !== undefined && isSwitch(SERVE_OPTIONS[key.slice(3) as OptionName]))
    return { path: "", message: `unknown option "${flag}": did you mean "${meant}=false"?` };
  return { path: "", message: unknownKey("option", flag, known) };
}

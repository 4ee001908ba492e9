import { isKeyOf } from "../kernel/keys.js";
import type { Problem } from "../kernel/problems.js";
import { preview, unknownKey } from "../kernel/words.js";
import { isSwitch } from "./option.js";
import { namesIn, type OptionName, SERVE_OPTIONS } from "./options.js";
import type { Source } from "./source.js";
import { valueOfTexts } from "./texts.js";

/** A flag, and the text that it carries behind an equals sign. A negative number is none. */
const FLAG = /^(--[^=]+|-[^-=\d][^=]*)(?:=(.*))?$/s;

/**
 * Reads the flags of `serve`.
 *
 * @param argv what stands behind the command
 */
export async function readFlags(argv: readonly string[]): Promise<Source> {
  const { texts, problems } = textsIn(argv);
  const sources = await Promise.all(
    [...texts].map(([name, words]) => valueOfTexts(name, `--${name}`, words)),
  );
  return {
    values: sources.flatMap(({ values }) => values),
    problems: [...problems, ...sources.flatMap((source) => source.problems)],
  };
}

/** The texts that each option was given, and what is neither an option nor the text of one. */
function textsIn(argv: readonly string[]): { texts: Map<OptionName, string[]>; problems: Problem[] } {
  const texts = new Map<OptionName, string[]>();
  const unknown = new Set<string>();
  const strays: string[] = [];
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [, flag, text] = FLAG.exec(word) ?? [];
    if (word === "--") strays.push(...left.splice(0));
    else if (flag === undefined) strays.push(word);
    else {
      const name = optionOf(flag);
      const isOn = name !== undefined && isSwitch(SERVE_OPTIONS[name]);
      const isNext = isOn ? /^(true|false)$/.test(left[0] ?? "") : !FLAG.test(left[0] ?? "--");
      const value = text ?? (isNext ? left.shift() : undefined) ?? (isOn ? "true" : "");
      if (name === undefined) unknown.add(flag);
      else texts.set(name, [...(texts.get(name) ?? []), value]);
    }
  }
  const problems = [
    ...[...unknown].map(unknownFlag),
    ...strays.map((word) => `unexpected argument ${preview(word)}`),
  ];
  return { texts, problems: problems.map((message) => ({ path: "", message })) };
}

/** The option that a flag names. */
function optionOf(flag: string): OptionName | undefined {
  const name = flag.slice(2);
  return flag.startsWith("--") && isKeyOf(SERVE_OPTIONS, name) && namesIn("outside").includes(name)
    ? name
    : undefined;
}

function unknownFlag(flag: string): string {
  const positive = optionOf(flag.replace(/^--no-/, "--"));
  if (positive !== undefined && isSwitch(SERVE_OPTIONS[positive]))
    return `unknown option "${flag}": did you mean "--${positive}=false"?`;
  return unknownKey(
    "option",
    flag,
    namesIn("outside").map((name) => `--${name}`),
  );
}

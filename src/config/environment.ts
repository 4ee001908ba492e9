import { nearest } from "../kernel/words.js";
import { isRepeatable, variableOf } from "./option.js";
import { namesIn, SERVE_OPTIONS } from "./options.js";
import type { Source } from "./source.js";
import { splitItems, valueOfTexts } from "./texts.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that others read: systems under test, `messaging-sim/intercept` and the fixtures of test runners. */
const FOREIGN = [
  "MESSAGING_SIM_URL",
  "MESSAGING_SIM_TOKEN",
  "MESSAGING_SIM_INTERCEPT",
  "MESSAGING_SIM_COVERAGE",
];

/**
 * Reads the options that the environment carries. An empty variable counts as not set; lists stand with commas or
 * line breaks between their items: `MESSAGING_SIM_SET="window.duration=24h, delivery.backoff=[1m, 5m]"`.
 */
export async function readEnvironment(env: Environment): Promise<Source> {
  const sources = await Promise.all(
    namesIn("outside").map((name) => {
      const variable = variableOf(name);
      const text = env[variable]?.trim() ?? "";
      const texts = isRepeatable(SERVE_OPTIONS[name]) ? splitItems(text) : [text];
      return text === "" ? { values: [], problems: [] } : valueOfTexts(name, variable, texts);
    }),
  );
  return {
    values: sources.flatMap(({ values }) => values),
    problems: sources.flatMap(({ problems }) => problems),
  };
}

/** A line for each variable that looks like one of ours and is none: it is passed over. */
export function unknownVariables(env: Environment): string[] {
  const known = namesIn("outside").map(variableOf);
  return Object.keys(env)
    .filter((key) => key.startsWith("MESSAGING_SIM_") && !known.includes(key) && !FOREIGN.includes(key))
    .map((key) => {
      const meant = nearest(key, known);
      return `the environment variable ${key} is no option${meant === undefined ? "" : `: did you mean ${meant}?`}`;
    });
}

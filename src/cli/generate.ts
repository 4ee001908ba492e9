import { fixtureText } from "../generate/fixture.js";
import { LANGUAGES, LOCALES } from "../generate/languages/index.js";
import type { GenerateOptions } from "../generate/options.js";
import { isKeyOf } from "../kernel/keys.js";
import type { Problem } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import { type CommandModule, textOf } from "./command.js";
import { namesOf } from "./generate-names.js";
import { OK, refuse } from "./terminal.js";

const MAX_COUNT = 10_000_000;
const DEFAULTS = { threads: 20, businesses: 3, organizations: 1 };

const option = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;

/** `messaging-sim generate`: a fixture on standard output; the same options give the same bytes. */
export const GENERATE: CommandModule = {
  declare: (yargs) =>
    yargs.options({
      threads: option(`how many threads (default: ${DEFAULTS.threads})`),
      customers: option("how many customers (default: two for three threads)"),
      businesses: option(
        `how many businesses (default: ${DEFAULTS.businesses}, or one for each organization)`,
      ),
      organizations: option(`how many organizations (default: ${DEFAULTS.organizations})`),
      messages: option("how many messages in each thread (default: as many as its conversation has)"),
      seed: option("decides everything that is left to chance: a number or a text (default: 1)"),
      locale: option(`language and names: ${LOCALES.join(", ")} (default: en)`),
    }),
  run: async (args, terminal) => {
    const { problems, options, locale } = optionsOf(args);
    if (problems.length > 0) return refuse(terminal, problems);
    for (const piece of fixtureText(options, await namesOf(locale, options.seed))) {
      terminal.out(piece);
      if (!((await terminal.drained?.()) ?? true)) break;
    }
    return OK;
  },
};

function optionsOf(args: Readonly<Record<string, unknown>>): {
  readonly problems: readonly Problem[];
  readonly options: GenerateOptions;
  readonly locale: string;
} {
  const problems: Problem[] = [];
  const wrong = (name: string, message: string) => void problems.push({ path: `--${name}`, message });
  const count = (name: string, preset: number): number => {
    const given = textOf(args, name);
    if (given === undefined) return preset;
    const value = Number(given);
    if (/^\d+$/.test(given) && value <= MAX_COUNT) return value;
    wrong(name, `must be a whole number from 0 to ${MAX_COUNT}, but is "${given}"`);
    return preset;
  };
  const threads = count("threads", DEFAULTS.threads);
  const organizations = count("organizations", DEFAULTS.organizations);
  const businesses = count("businesses", Math.max(DEFAULTS.businesses, organizations));
  const customers = count(
    "customers",
    Math.max(Math.ceil((threads * 2) / 3), threads > 0 ? organizations : 0),
  );
  for (const [name, value] of Object.entries({ organizations, businesses, customers })) {
    if (threads > 0 && value === 0) wrong(name, "must be at least 1: threads need some");
  }
  if (organizations === 0 && (businesses > 0 || customers > 0) && threads === 0)
    wrong("organizations", "must be at least 1: businesses and customers belong to one");
  const locale = (textOf(args, "locale") ?? "en").replace("-", "_");
  if (!isKeyOf(LANGUAGES, locale))
    wrong("locale", `must be one of ${LOCALES.join(", ")}, but is "${textOf(args, "locale")}"`);
  const seed = textOf(args, "seed") ?? "1";
  return {
    problems,
    locale,
    options: {
      threads,
      organizations,
      businesses,
      customers,
      messages: textOf(args, "messages") === undefined ? undefined : count("messages", 0),
      seed: seedOf(/^\d{1,9}$/.test(seed) ? Number(seed) : seed),
      language: LANGUAGES[isKeyOf(LANGUAGES, locale) ? locale : "en"],
    },
  };
}

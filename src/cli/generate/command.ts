import { isKeyOf, keysOf } from "../../kernel/objects.js";
import { seedOf } from "../../kernel/random.js";
import { asText, command, optional, refused, type Values } from "../command.js";
import { OK } from "../terminal.js";
import { fixtureText, LOCALES } from "./world.js";

const MAX_COUNT = 10_000_000;
const DEFAULTS = { threads: 20, businesses: 3, organizations: 1 };

const count = (describe: string) =>
  optional(describe, (text) => {
    const isCount = /^\d+$/.test(text) && Number(text) <= MAX_COUNT;
    return isCount
      ? Number(text)
      : refused(`must be a whole number from 0 to ${MAX_COUNT}, but is "${text}"`);
  });

const OPTIONS = {
  threads: count(`number of threads (default: ${DEFAULTS.threads})`),
  customers: count("number of customers (default: two for every three threads)"),
  businesses: count(`number of businesses (default: ${DEFAULTS.businesses}, at least one per organization)`),
  organizations: count(`number of organizations (default: ${DEFAULTS.organizations})`),
  messages: count("number of messages in each thread (default: 1 to 8)"),
  seed: optional("seed: a number or any text (default: 1)", asText),
  locale: optional(`language of names and texts: ${keysOf(LOCALES).join(", ")} (default: en)`, (text) => {
    const locale = text.replace("-", "_");
    return isKeyOf(LOCALES, locale)
      ? locale
      : refused(`must be one of ${keysOf(LOCALES).join(", ")}, but is "${text}"`);
  }),
};

/** How many there are to be of each kind; threads need some of all others. */
function countsOf({ threads = DEFAULTS.threads, ...others }: Values<typeof OPTIONS>) {
  const { organizations = DEFAULTS.organizations } = others;
  const { businesses = Math.max(DEFAULTS.businesses, organizations) } = others;
  const { customers = Math.max(Math.ceil((threads * 2) / 3), threads > 0 ? organizations : 0) } = others;
  return { threads, organizations, businesses, customers };
}

/** `messaging-sim generate`: a fixture on standard output; the same options give the same bytes. */
export const GENERATE = command({
  options: OPTIONS,
  examples: {
    "messaging-sim generate > small.json": "a small fixture",
    "messaging-sim generate --threads 500 --locale fr --seed 7 > french.json":
      "a larger one, with French names",
  },
  exits: { 0: "the fixture is written", 2: "an option is unusable, or the output cannot be written" },
  problems: (values) => {
    const { threads, ...others } = countsOf(values);
    const { organizations, businesses, customers } = others;
    if (threads > 0)
      return Object.entries(others).flatMap(([name, value]) =>
        value > 0 ? [] : [{ path: `--${name}`, message: "must be at least 1: threads need one" }],
      );
    return organizations > 0 || (businesses === 0 && customers === 0)
      ? []
      : [{ path: "--organizations", message: "must be at least 1: businesses and customers belong to one" }];
  },
  run: async (values, terminal) => {
    const { messages, seed = "1", locale = "en" } = values;
    const options = {
      ...countsOf(values),
      messages,
      seed: seedOf(/^\d{1,9}$/.test(seed) ? Number(seed) : seed),
      locale,
    };
    for await (const piece of fixtureText(options)) {
      terminal.out(piece);
      if (!((await terminal.drained?.()) ?? true)) break;
    }
    return OK;
  },
});

import type { DeliveryRecord, Message, RequestRecord } from "./types";

/** What a search looks at in an entry of a log or in a message. */
export interface Findable {
  readonly text: string;
  readonly thread: string | null;
  /** Status codes and words: `200`, `failed`. */
  readonly status: readonly string[];
  /** The operation of a call, or the type of an event. */
  readonly operation: string;
  /** ms of the sandbox's time. */
  readonly at: number;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `10m` is ten minutes before now; else a time in ISO 8601. NaN for other text. */
function instantOf(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  return amount === undefined ? Date.parse(text) : now - Number(amount) * (UNITS[unit] ?? 0);
}

/** `4xx` stands for each status from 400 to 499. */
const isStatus = (wanted: string, status: string): boolean =>
  /^\dxx$/.test(wanted) ? status.startsWith(wanted.charAt(0)) && /^\d{3}$/.test(status) : status === wanted;

const has = (text: string, part: string): boolean => text.toLowerCase().includes(part);

/** An operator of a search, as in `status:4xx`: an example of its value, and the test for an entry. */
interface Operator {
  readonly example: string;
  readonly fits: (one: Findable, value: string, now: number) => boolean;
}

const OPERATORS = {
  status: { example: "4xx", fits: ({ status }, value) => status.some((one) => isStatus(value, one)) },
  thread: { example: "9001", fits: ({ thread }, value) => thread === value },
  operation: { example: "send", fits: ({ operation }, value) => has(operation, value) },
  after: { example: "10m", fits: ({ at }, value, now) => at >= instantOf(value, now) },
  before: { example: "1h", fits: ({ at }, value, now) => at < instantOf(value, now) },
} as const satisfies Readonly<Record<string, Operator>>;

/** Words in quotes stand together; other quotes are text, as in pasted JSON. */
const TERM = /(?:(\w+):)?("[^"]*"(?=\s|$)|\S+)/g;

/** The terms of a search: words, which have no operator, and operators with their values. */
const termsOf = (search: string) =>
  [...search.matchAll(TERM)].map(([whole, name = "", quoted = ""]) => {
    const value = quoted.replace(/^"([^"]*)"$/, "$1").toLowerCase();
    if (Object.hasOwn(OPERATORS, name)) return { operator: name as keyof typeof OPERATORS, value };
    return { operator: null, value: name === "" ? value : whole.toLowerCase() };
  });

/** The longest word of a search; empty where it has none. */
export const longestWord = (search: string): string =>
  termsOf(search)
    .map(({ operator, value }) => (operator === null ? value : ""))
    .reduce((longest, word) => (word.length > longest.length ? word : longest), "");

/** A test for entries that all terms of a search fit: words and `operator:value`. Everything fits an empty search. */
export function queryOf(search: string): (one: Findable, now: number) => boolean {
  const terms = termsOf(search);
  return (one, now) =>
    terms.every(({ operator, value }) =>
      operator === null ? has(one.text, value) : OPERATORS[operator].fits(one, value, now),
    );
}

/** How the term that is being written can be completed: whole searches, the ones that `known` values give first. */
export function completionsOf(
  search: string,
  known: Readonly<Record<string, readonly string[]>>,
): { readonly term: string; readonly search: string }[] {
  const begun = /\S*$/.exec(search)?.[0] ?? "";
  const before = search.slice(0, search.length - begun.length);
  const terms = Object.entries(OPERATORS).flatMap(([name, { example }]) =>
    [...new Set(known[name]?.length ? known[name] : [example])].map((value) => `${name}:${value}`),
  );
  const nameOf = (term: string) => term.split(":")[0];
  const fitting = terms.filter((term) =>
    begun === "" ? !before.includes(`${nameOf(term)}:`) : term.toLowerCase().startsWith(begun.toLowerCase()),
  );
  // One of each operator until its name is written out.
  const shown = begun.includes(":")
    ? fitting
    : fitting.filter((term, at) => fitting.findIndex((one) => nameOf(one) === nameOf(term)) === at);
  return shown
    .filter((term) => term !== begun)
    .slice(0, 6)
    .map((term) => ({ term, search: `${before}${term} ` }));
}

const statusText = (status: number | null | undefined): string[] => (status == null ? [] : [String(status)]);

/** What a search finds in a call, a delivery or a message; its text is `text`. */
export const ofRequest = (
  { status, operation, at }: RequestRecord,
  thread: string | null,
  text: string,
): Findable => ({ text, thread, status: statusText(status), operation: operation ?? "", at });

export const ofDelivery = (
  { status, attempts, eventType, threadId }: DeliveryRecord,
  at: number,
  text: string,
): Findable => ({
  text,
  thread: threadId,
  status: [status, ...statusText(attempts.at(-1)?.status)],
  operation: eventType,
  at,
});

export const ofMessage = ({ threadId, text, timestamp }: Message): Findable => ({
  text,
  thread: threadId,
  status: [],
  operation: "",
  at: timestamp,
});

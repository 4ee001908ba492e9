import { ExpectationError } from "./errors.js";
import { patternText, titleOf, valueText } from "./misses.js";
import type { Transport } from "./transport.js";
import type { DeliveryMatch, NearMiss, RequestMatch } from "./types.js";

export interface WaitOptions {
  /** Real time, ms; default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
  /** Only entries after the one with this id count. */
  readonly since?: string;
}

/** Which of the two logs is looked at, and for what. */
export type Looked = { readonly requests: RequestMatch } | { readonly deliveries: DeliveryMatch };

/** What was returned before is told apart by what it was waited for as. */
type ConsumedEntries = "replies" | "requests" | "deliveries";

interface Entry {
  readonly id: string;
}

interface Waited<E> {
  readonly matches: E[];
}

interface Missed {
  readonly count?: number;
  readonly nearMisses?: readonly NearMiss[];
  readonly matches?: readonly Entry[];
  readonly evicted?: number;
  readonly error?: { readonly message: string };
}

/** Every way in which a look for entries can be disappointed, told alike. */
export class Waiting {
  readonly #wire: Transport;
  readonly #timeoutMs: number;
  readonly #used: Readonly<Record<ConsumedEntries, Set<string>>> = {
    replies: new Set(),
    requests: new Set(),
    deliveries: new Set(),
  };

  constructor(wire: Transport, timeoutMs: number) {
    this.#wire = wire;
    this.#timeoutMs = timeoutMs;
  }

  /** Forgets which entries were returned: the logs begin anew. */
  restart(): void {
    for (const used of Object.values(this.#used)) used.clear();
  }

  /**
   * The oldest entry that matches and was not returned before. The server holds the wait: it is asked for one entry
   * more as long as all that it has are used up.
   */
  async next<E extends Entry>(
    what: Looked,
    words: string,
    { timeoutMs, since, ledger }: WaitOptions & { readonly ledger: ConsumedEntries },
    counts: (entry: E) => boolean = () => true,
  ): Promise<E> {
    const used = this.#used[ledger];
    for (let count = 1; ; ) {
      const matches = await this.#wait<E>(what, count, timeoutMs, (had) =>
        had === 0 ? `${words}, but none came` : `${words}, but none came beside ${had} returned before`,
      );
      const fresh = matches.find((entry) => !used.has(entry.id) && isAfter(entry, since) && counts(entry));
      if (fresh !== undefined) {
        used.add(fresh.id);
        return fresh;
      }
      count = matches.length + 1;
    }
  }

  /** All matching entries, as soon as there are so many. @throws ExpectationError */
  atLeast<E extends Entry>(
    what: Looked,
    count: number,
    { timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<E[]> {
    return this.#wait<E>(
      what,
      count,
      timeoutMs,
      (had) => `at least ${count} ${logOf(what)}, but ${had} came`,
    );
  }

  /** `words`: what was expected and how many came instead. */
  async #wait<E extends Entry>(
    what: Looked,
    count: number,
    timeoutMs = this.#timeoutMs,
    words: (had: number) => string,
  ): Promise<E[]> {
    const body = { for: { ...what, count }, timeoutMs };
    const answer = await this.#wire.answer<Waited<E> & Missed>("POST", "/wait", { body, accept: [408] });
    if (answer.status === 200) return answer.body.matches;
    const expected = `waited ${timeoutMs} ms for ${words(answer.body.count ?? 0)}`;
    throw this.#failure(expected, 408, what, answer.body);
  }

  /** Resolves when nothing is on its way. @throws ExpectationError */
  async idle(timeoutMs = this.#timeoutMs): Promise<void> {
    const body = { for: "idle", timeoutMs };
    const answer = await this.#wire.answer<Missed>("POST", "/wait", { body, accept: [408] });
    if (answer.status !== 408) return;
    throw new ExpectationError(answer.body.error?.message ?? `not idle after ${timeoutMs} ms`, 408);
  }

  /** Resolves when no entry has come for so long. @throws ExpectationError as soon as one comes */
  async none(what: Looked, forMs: number, words: string): Promise<void> {
    const already = await this.#count(what);
    const body = { for: { ...what, count: already + 1 }, timeoutMs: forMs };
    const answer = await this.#wire.answer<Waited<NearMiss["entry"]>>("POST", "/wait", {
      body,
      accept: [408],
    });
    if (answer.status === 408) return;
    const came = answer.body.matches.slice(already);
    const expected = `expected ${words} for ${forMs} ms, but there came`;
    throw new ExpectationError(expected, answer.status, { count: came.length }, came.map(entryText));
  }

  /** How many entries match. @throws ExpectationError when it is another number than there should be */
  async verify(what: Looked, count: number | CountRange | undefined): Promise<number> {
    const body = { ...what, ...(count === undefined ? {} : { count }) };
    const answer = await this.#wire.answer<{ count: number } & Missed>("POST", "/verify", {
      body,
      accept: [422],
    });
    if (answer.status === 200) return answer.body.count;
    const expected = `expected ${countWords(count)} ${logOf(what)}, but ${answer.body.count} match`;
    throw this.#failure(expected, 422, what, answer.body);
  }

  async #count(what: Looked): Promise<number> {
    const body = { ...what, count: { min: 0 } };
    const answer = await this.#wire.call<{ count: number }>("POST", "/verify", { body });
    return answer.count;
  }

  #failure(expected: string, status: number, what: Looked, missed: Missed): ExpectationError {
    const { evicted, matches = [] } = missed;
    const surplus = status === 422 && matches.length > 0;
    return new ExpectationError(expected, status, missed, [
      ...matchLines(what),
      ...(surplus ? [`  the newest: ${matches.map(({ id }) => id).join(", ")}`] : []),
      ...(evicted === undefined
        ? []
        : [
            `  entries that are gone and could have mattered: ${evicted} (the journal keeps a limited number)`,
          ]),
    ]);
  }
}

/** How many there are to be; without `max` any number from `min` on. */
export interface CountRange {
  readonly min?: number;
  readonly max?: number;
}

const isAfter = ({ id }: Entry, since: string | undefined): boolean =>
  since === undefined || Number(id.slice(1)) > Number(since.slice(1));

const logOf = (what: Looked): string => ("requests" in what ? "requests" : "deliveries");

const entryText = (entry: NearMiss["entry"]): string =>
  `  ${entry.id}  ${titleOf(entry)}\n      ${valueText(entry.body)}`;

const matchLines = (what: Looked): string[] => [
  "  asked for:",
  ...flattened("requests" in what ? what.requests : what.deliveries).map((line) => `    ${line}`),
];

/** Each plain value and condition of a match on a line of its own. */
function flattened(match: object, above = ""): string[] {
  return Object.entries(match).flatMap(([key, part]) => {
    const isBranch = typeof part === "object" && part !== null && !Array.isArray(part);
    const isCondition = isBranch && Object.keys(part).some((name) => name.startsWith("$"));
    if (isBranch && !isCondition && Object.keys(part).length > 0) return flattened(part, `${above}${key}.`);
    return [`${above}${key}: ${patternText(part)}`];
  });
}

function countWords(count: number | CountRange | undefined): string {
  if (count === undefined) return "at least 1";
  if (typeof count === "number") return `exactly ${count}`;
  const { min = 0, max } = count;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

/** What has happened in a run, and what of it earlier steps have used up (contract section 6). */

import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, RequestRecord, NearMiss as WireMiss } from "../client/types.js";
import { monotonicNow } from "../kernel/realtime.js";
import type { NearMiss } from "./report.js";
import { StepFailure } from "./step.js";

export type Kind = "requests" | "deliveries";
export type Entry<K extends Kind> = K extends "requests" ? RequestRecord : DeliveryRecord;

/** The longest that one call of `POST /wait` may take, ms. */
const MAX_WAIT_MS = 600_000;

export interface Taking {
  /** How many that nobody has used up yet; default 1. */
  readonly count?: number;
  /** Real time to wait, ms. */
  readonly within: number;
  /** What is waited for, in words: `a successful delivery`. */
  readonly what: string;
}

interface Waited<K extends Kind> {
  readonly met: boolean;
  readonly matches: readonly Entry<K>[];
  readonly nearMisses: readonly WireMiss[];
}

interface WaitBody<K extends Kind> {
  readonly matches?: readonly Entry<K>[];
  readonly nearMisses?: readonly WireMiss[];
  readonly evicted?: number;
}

export class ConsumedEntries {
  readonly #wire: Transport;
  /** The newest entries when the run began: what came before is not looked at. */
  #start: Readonly<Partial<Record<Kind, string>>> = {};
  readonly #used: Record<Kind, Set<string>> = { requests: new Set(), deliveries: new Set() };
  /** By match: up to where all that matched is used up, and how many used ones came since. */
  readonly #seen = new Map<string, { since: string | undefined; count: number }>();

  constructor(wire: Transport) {
    this.#wire = wire;
  }

  /** Begins to look: at everything in a sandbox that is new or was reset, else at what comes from now on. */
  async begin(fresh: boolean): Promise<void> {
    this.#used.requests.clear();
    this.#used.deliveries.clear();
    this.#seen.clear();
    this.#start = fresh
      ? {}
      : { requests: await this.newest("requests"), deliveries: await this.newest("deliveries") };
  }

  /** The id after which the run's entries stand; undefined when all of them are the run's. */
  start(kind: Kind): string | undefined {
    return this.#start[kind];
  }

  isUsed(kind: Kind, id: string): boolean {
    return this.#used[kind].has(id);
  }

  /** The id of the newest entry: a mark for `next`. */
  async newest(kind: Kind): Promise<string | undefined> {
    const [entry] = await this.#wire.call<{ id: string }[]>("GET", `/${kind}`, { query: { limit: 1 } });
    return entry?.id;
  }

  /** Waits for entries that match and are not used up, and uses them up. @throws StepFailure when they do not come */
  async take<K extends Kind>(
    kind: K,
    match: object,
    { count = 1, within, what }: Taking,
  ): Promise<[Entry<K>, ...Entry<K>[]]> {
    const deadline = monotonicNow() + within;
    const key = kind + JSON.stringify(match);
    const seen = this.#seen.get(key) ?? { since: this.#start[kind], count: 0 };
    let { since } = seen;
    let wanted = seen.count + count;
    for (;;) {
      const left = Math.max(0, deadline - monotonicNow());
      // Entries before `since` may have come to match late, a retried delivery for one: then all are looked at again.
      const short = since !== this.#start[kind] && left > PATIENCE;
      const waited = await this.#wait(kind, match, {
        count: wanted,
        since,
        timeoutMs: short ? PATIENCE : left,
      });
      const fresh = waited.matches.filter(({ id }) => !this.#used[kind].has(id));
      if (fresh.length >= count) {
        const taken = fresh.slice(0, count) as [Entry<K>, ...Entry<K>[]];
        this.#use(kind, key, taken, waited.matches, since);
        return taken;
      }
      if (waited.met) wanted = waited.matches.length + count - fresh.length;
      else if (since !== this.#start[kind]) {
        since = this.#start[kind];
        wanted = count;
      } else throw this.#missing(kind, match, { count, within, what }, fresh, waited.nearMisses);
    }
  }

  /** The first entry after a mark that matches, if one comes within a time. Uses nothing up. */
  async next<K extends Kind>(
    kind: K,
    match: object,
    since: string | undefined,
    timeoutMs: number,
  ): Promise<Entry<K> | undefined> {
    return (await this.#wait(kind, match, { count: 1, since, timeoutMs })).matches[0];
  }

  /** An entry in a few words. */
  summary<K extends Kind>(kind: K, entry: Entry<K>): string {
    return kind === "requests" ? callWords(entry as RequestRecord) : deliveryWords(entry as DeliveryRecord);
  }

  #use<K extends Kind>(
    kind: K,
    key: string,
    taken: readonly Entry<K>[],
    matches: readonly Entry<K>[],
    since: string | undefined,
  ): void {
    for (const { id } of taken) this.#used[kind].add(id);
    const used = matches.filter(({ id }) => this.#used[kind].has(id));
    const allUsed = used.length === matches.length;
    this.#seen.set(
      key,
      allUsed && used.length >= REMEMBERED
        ? { since: used.at(-1)?.id, count: 0 }
        : { since, count: used.length },
    );
  }

  async #wait<K extends Kind>(
    kind: K,
    match: object,
    { count, since, timeoutMs }: { count: number; since: string | undefined; timeoutMs: number },
  ): Promise<Waited<K>> {
    const { status, body } = await this.#wire.answer<WaitBody<K>>("POST", "/wait", {
      body: {
        for: { [kind]: match, count, ...(since === undefined ? {} : { since }) },
        timeoutMs: Math.min(Math.ceil(timeoutMs), MAX_WAIT_MS),
      },
      accept: [408],
    });
    if (body.evicted !== undefined)
      throw new StepFailure(
        `${body.evicted} ${kind} that could have mattered are no longer kept: raise --journal-limit`,
      );
    return { met: status === 200, matches: body.matches ?? [], nearMisses: body.nearMisses ?? [] };
  }

  #missing<K extends Kind>(
    kind: K,
    match: object,
    { count = 1, within, what }: Taking,
    fresh: readonly Entry<K>[],
    misses: readonly WireMiss[],
  ): StepFailure {
    const nearMisses = misses
      .filter(({ id }) => !this.#used[kind].has(id))
      .map(({ id, entry, differences }) => ({
        id,
        summary: this.summary(kind, entry as Entry<K>),
        differences: differences as NearMiss["differences"],
      }));
    const times = count === 1 ? "" : `: ${fresh.length} of ${count} came`;
    return new StepFailure(`${what} did not come within ${Math.round(within)} ms${times}`, {
      expected: match,
      seen: fresh.length === 0 ? undefined : fresh.map((entry) => this.summary(kind, entry)),
      nearMisses,
      about: nearMisses[0]?.id,
    });
  }
}

/** How long only newer entries are looked at, before older ones are looked at again, ms of real time. */
const PATIENCE = 50;
/** How many used entries a match may have behind its mark before the mark moves on. */
const REMEMBERED = 16;

export const callWords = ({ method, path, status }: RequestRecord): string =>
  `${method} ${path} → ${status ?? "no answer"}`;

export const deliveryWords = ({ eventType, hookId, url, status }: DeliveryRecord): string =>
  `${eventType} to ${hookId} (${url}): ${status}`;

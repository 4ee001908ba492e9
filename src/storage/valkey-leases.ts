import { secretToken } from "../kernel/random.js";
import { monotonicNow } from "../kernel/realtime.js";
import { LeaseHeldElsewhereError } from "../sandbox/durable.js";
import type { Claim, Leases } from "./leases.js";
import { LEASE_MS } from "./leases.js";
import type { ValkeyClient } from "./valkey-client.js";

/** The names of what is kept in a server, all with one beginning. */
const PREFIX = "messaging-sim";
/** What lists show of each id. */
export const INDEX = `${PREFIX}:sandboxes`;
/** The last fencing number. */
const FENCES = `${PREFIX}:fences`;
/** The last number that a new sandbox was called by. */
const NUMBERS = `${PREFIX}:numbers`;

/** A part of what is kept under an id. All of one id is in one place of a cluster. */
export const keyOf = (id: string, part: string): string => `${PREFIX}:{${id}}:${part}`;

/** Where a process hears what others ask it to release. */
const channelOf = (process: string): string => `${PREFIX}:asked:${process}`;

/**
 * The functions that run on the server, each of them all or nothing. The keys of a sandbox: `meta` (its fencing number, the
 * number of its last entry), `lease` (the process that has it, gone when its time is up), `base` (the base document in pieces),
 * `log` (a stream whose entries have the ids 1-0, 2-0, …).
 */

interface Script {
  readonly keys: readonly ("meta" | "lease" | "base" | "log" | "staged")[];
  readonly text: string;
}

/** Under another number nothing happens. Arguments: fencing number, process, milliseconds of the lease, then each one's own. */
const FENCED = "if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 'lost' end";
const RENEW = "redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])";
/** Changes what is there already, so it runs while the server is out of memory. */
const AT_ANY_TIME = "#!lua flags=allow-oom";
const WITH_MEMORY = "#!lua";

const script = (keys: Script["keys"], ...lines: readonly string[]): Script => ({
  keys,
  text: lines.join("\n"),
});

const SCRIPTS = {
  /** Arguments: a number that no process had, the process, the lease, `open` or `create`. */
  acquire: script(
    ["meta", "lease", "base", "log"],
    WITH_MEMORY,
    "local holder = redis.call('GET', KEYS[2])",
    "if holder and holder ~= ARGV[2] then return {'elsewhere', holder} end",
    "local isThere = redis.call('EXISTS', KEYS[3]) == 1",
    "if ARGV[4] == 'open' and not isThere then return {'absent'} end",
    "if ARGV[4] == 'create' and isThere then return {'taken'} end",
    "if not isThere then redis.call('DEL', KEYS[1], KEYS[4]) end",
    "local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')",
    "if tonumber(ARGV[1]) <= last then return {'stale'} end",
    "redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'last', ARGV[1])",
    RENEW,
    "return {'held', redis.call('HGET', KEYS[1], 'seq') or '0'}",
  ),
  /** One number is taken by one process only, so a lease that ran out and that nobody took is renewed. */
  renew: script(["meta", "lease"], AT_ANY_TIME, FENCED, RENEW, "return 'ok'"),
  release: script(
    ["meta", "lease"],
    AT_ANY_TIME,
    FENCED,
    "redis.call('HSET', KEYS[1], 'fence', '')",
    "redis.call('DEL', KEYS[2])",
    "return 'ok'",
  ),
  /** More arguments: the entry's number, its text. One that is there already is not added again. */
  append: script(
    ["meta", "lease", "log"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "if tonumber(ARGV[4]) <= tonumber(redis.call('HGET', KEYS[1], 'seq') or '0') then return 'there' end",
    "redis.call('XADD', KEYS[3], ARGV[4] .. '-0', 'e', ARGV[5])",
    "redis.call('HSET', KEYS[1], 'seq', ARGV[4])",
    "return 'ok'",
  ),
  /** More arguments: the place of a piece of the next base document, its text, how long it is kept, ms. */
  stage: script(
    ["meta", "lease", "staged"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "redis.call('HSET', KEYS[3], ARGV[4], ARGV[5])",
    "redis.call('PEXPIRE', KEYS[3], ARGV[6])",
    "return 'ok'",
  ),
  /** More arguments: the number of the last entry that the next base document holds, how many pieces that has. */
  switch: script(
    ["meta", "lease", "base", "log", "staged"],
    WITH_MEMORY,
    FENCED,
    RENEW,
    "if redis.call('HLEN', KEYS[5]) ~= tonumber(ARGV[5]) then return 'torn' end",
    "redis.call('PERSIST', KEYS[5])",
    "redis.call('RENAME', KEYS[5], KEYS[3])",
    "redis.call('XTRIM', KEYS[4], 'MINID', '=', (tonumber(ARGV[4]) + 1) .. '-0')",
    "if redis.call('XLEN', KEYS[4]) == 0 then redis.call('DEL', KEYS[4]) end",
    "if tonumber(ARGV[4]) > tonumber(redis.call('HGET', KEYS[1], 'seq') or '0') then",
    "redis.call('HSET', KEYS[1], 'seq', ARGV[4]) end",
    "return 'ok'",
  ),
  /** What is gone already is gone. */
  remove: script(
    ["meta", "lease", "base", "log"],
    AT_ANY_TIME,
    "if redis.call('EXISTS', KEYS[1]) == 0 then return 'ok' end",
    FENCED,
    "redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])",
    "return 'ok'",
  ),
} as const satisfies Record<string, Script>;

/** What this process has taken: an id, and how far its log is. */
interface Held {
  readonly fence: number;
  /** The number of the last entry. */
  seq: number;
  /** Whether an entry may be there with the next number: nobody has heard what became of it. */
  isDoubtful: boolean;
  /** The number of the last entry that the next base document holds. */
  mark: number;
  log: number;
  /** What was appended since `mark`, bytes. */
  logSince: number;
  base: number;
  /** When the lease runs out, of monotonic time, ms. */
  until: number;
}

/** Which ids this process has in a server that several use; whatever changes what is kept of them goes through `fenced`. */
export class ValkeyLeases implements Leases {
  readonly #client: ValkeyClient;
  readonly #process = secretToken();
  readonly #held = new Map<string, Held>();
  #listening: ValkeyClient | undefined;
  #onAsked: (id: string) => void = () => {};

  constructor(client: ValkeyClient) {
    this.#client = client;
  }

  /** Hears what other processes ask for from now on. @throws Error with the reason */
  async listen(): Promise<void> {
    this.#listening = await this.#client.listen(channelOf(this.#process), (id) => this.#onAsked(id));
  }

  async acquire(id: string, create: boolean): Promise<Claim> {
    for (;;) {
      const fence = Number(await this.#client.call("INCR", FENCES));
      const began = monotonicNow();
      const args = [fence, create ? "create" : "open"];
      const [answer, told] = (await this.#run("acquire", id, args)) as string[];
      if (answer === "elsewhere") return { holder: String(told) };
      if (answer === "absent" || answer === "taken") return answer;
      if (answer !== "held") continue;
      const seq = Number(told);
      const until = began + LEASE_MS;
      this.#held.set(id, { fence, seq, isDoubtful: false, mark: seq, log: 0, logSince: 0, base: 0, until });
      return "held";
    }
  }

  isHeld(id: string): boolean {
    const held = this.#held.get(id);
    return held !== undefined && monotonicNow() < held.until;
  }

  async renew(id: string): Promise<boolean> {
    try {
      await this.fenced("renew", id, []);
      return true;
    } catch (error) {
      if (!(error instanceof LeaseHeldElsewhereError)) throw error;
      return false;
    }
  }

  async release(id: string): Promise<void> {
    if (!this.#held.has(id)) return;
    await this.fenced("release", id, []).catch((error: unknown) => {
      if (!(error instanceof LeaseHeldElsewhereError)) throw error;
    });
    this.#held.delete(id);
  }

  async ask(holder: string, id: string): Promise<void> {
    await this.#client.call("PUBLISH", channelOf(holder), id);
  }

  onAsked(listener: (id: string) => void): void {
    this.#onAsked = listener;
  }

  async note(id: string, text: string): Promise<void> {
    await this.#client.call("HSET", INDEX, id, text);
  }

  async notes(): Promise<ReadonlyMap<string, string>> {
    const flat = (await this.#client.call("HGETALL", INDEX)) as string[];
    return new Map(flat.flatMap((id, at) => (at % 2 === 0 ? [[id, flat[at + 1] ?? ""] as const] : [])));
  }

  async nextNumber(): Promise<number> {
    return Number(await this.#client.call("INCR", NUMBERS));
  }

  async ping(): Promise<void> {
    await this.#client.call("PING");
  }

  /** What this process knows of an id that it has; undefined where it does not have it. */
  find(id: string): Held | undefined {
    return this.#held.get(id);
  }

  /** @throws LeaseHeldElsewhereError where this process does not have the id */
  get(id: string): Held {
    const held = this.#held.get(id);
    if (held === undefined) throw new LeaseHeldElsewhereError(id);
    return held;
  }

  /** Runs a function that changes what is kept of an id. @throws LeaseHeldElsewhereError where another process has it by now */
  async fenced(
    name: Exclude<keyof typeof SCRIPTS, "acquire">,
    id: string,
    args: readonly (string | number)[],
    staged?: string,
  ): Promise<unknown> {
    const held = this.get(id);
    const began = monotonicNow();
    const answer = await this.#run(name, id, [held.fence, ...args], staged);
    if (answer === "lost") {
      if (this.#held.get(id) === held) this.#held.delete(id);
      throw new LeaseHeldElsewhereError(id);
    }
    held.until = began + LEASE_MS;
    return answer;
  }

  /** An id is removed: nobody has it. */
  forget(id: string): void {
    this.#held.delete(id);
  }

  /** Lets others have all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.release(id))).catch(() => {});
    this.#listening?.close();
  }

  #run(
    name: keyof typeof SCRIPTS,
    id: string,
    [fence = 0, ...args]: readonly (string | number)[],
    staged = "",
  ): Promise<unknown> {
    const { keys, text }: Script = SCRIPTS[name];
    const names = keys.map((part) => keyOf(id, part === "staged" ? staged : part));
    return this.#client.run(text, names, [fence, this.#process, LEASE_MS, ...args]);
  }
}

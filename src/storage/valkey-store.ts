import { jsonChunks } from "../kernel/http/answer.js";
import { UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { monotonicNow } from "../kernel/realtime.js";
import { LeaseHeldElsewhereError } from "../sandbox/durable.js";
import { refuseOther } from "./base-document.js";
import {
  type BaseDocument,
  type Durability,
  LIST_LEVELS,
  type Store,
  type Stored,
  Vanished,
} from "./port.js";
import { ValkeyClient, valkeyAddress } from "./valkey-client.js";
import { channelOf, FENCES, INDEX, keyOf, NUMBERS, SCRIPTS, type Script } from "./valkey-scripts.js";

/** The size of a base document's pieces, in characters. */
const PIECE_CHARACTERS = 256 * 1024;
/** The expiry of pieces that never become part of a base document, ms. */
const STAGED_MS = 600_000;
const PAGE = 500;
const MIN_VERSION = 7;

/** The duration of a lease unless it is renewed, ms. */
export const LEASE_MS = 10_000;

/** The result of trying to take an id: it is ours, it is unused, it exists, another process holds it. */
type Claim = "held" | "absent" | "taken" | { readonly holder: string };

interface Held {
  /** Its fencing number and this process: a server that lost its last changes may assign a number twice. */
  readonly fence: string;
  seq: number;
  /** Whether an entry with the next number may exist, because the result of adding it is unknown. */
  isDoubtful: boolean;
  /** The number of the last entry that the next base document includes. */
  mark: number;
  log: number;
  /** The bytes appended since `mark`. */
  logSince: number;
  base: number;
  /** When the lease expires, of monotonic time, ms. */
  until: number;
}

const unusable = (file: string, message: string): UnusableDocument =>
  new UnusableDocument([{ file, path: "", message }]);

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(file, (error as Error).message);
  }
}

/**
 * Valkey, or Redis 7: for each id a base document in pieces and a stream of later entries. Several processes share it, and
 * each id belongs to one of them at a time.
 */
export class ValkeyStore implements Store {
  readonly location: string;
  readonly logBytes = 1024 * 1024;
  readonly #client: ValkeyClient;
  readonly #process = secretToken();
  readonly #held = new Map<string, Held>();
  #listening: ValkeyClient | undefined;
  #onAsked: (id: string) => void = () => {};
  readonly #isStrict: boolean;
  #attempts = 0;
  /** The highest fencing number so far. */
  #highest = 0;

  private constructor(location: string, client: ValkeyClient, durability: Durability) {
    this.location = location;
    this.#client = client;
    this.#isStrict = durability === "strict";
  }

  /** @throws UnusableDocument for an invalid address; Error with the reason if the server cannot be used */
  static async open(text: string, durability: Durability): Promise<ValkeyStore> {
    const address = valkeyAddress(text);
    const client = new ValkeyClient(address);
    await client.connect();
    try {
      const store = new ValkeyStore(address.location, client, durability);
      await store.#checkServer(address.fsync);
      store.#listening = await client.listen(channelOf(store.#process), (id) => store.#onAsked(id));
      return store;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  async #checkServer(fsync: boolean): Promise<void> {
    const info = String(await this.#client.call("INFO"));
    const [, version = ""] = /^(?:valkey|redis)_version:(\d+\.\d+)/m.exec(info) ?? [];
    if (Number.parseFloat(version) < MIN_VERSION)
      throw new Error(`its version is ${version}, but at least ${MIN_VERSION} is required`);
    const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (/^allkeys/.test(policy))
      throw new Error(`its maxmemory-policy is ${policy}, which may evict sandboxes: use noeviction`);
    if (!fsync) return;
    if (!/^aof_enabled:1/m.test(info)) throw new Error("fsync needs a server with appendonly yes");
    await this.#client.call("WAITAOF", 0, 0, 0).catch(() => {
      throw new Error(`its version is ${version}, but fsync needs WAITAOF of Redis 7.2 or Valkey`);
    });
  }

  async list(): Promise<string[]> {
    return [...(await this.summaries()).keys()];
  }

  async open(id: string): Promise<Stored> {
    const held = this.#get(id);
    const name = `${this.location} ${keyOf(id, "base")}`;
    const log = `${this.location} ${keyOf(id, "log")}`;
    const pieces: string[] = [];
    const count = Number(await this.#client.call("HLEN", keyOf(id, "base")));
    for (let at = 0; at < count; at += 1)
      pieces.push(String(await this.#client.call("HGET", keyOf(id, "base"), at)));
    const text = pieces.join("");
    const base = parsed(text, name);
    refuseOther(base, id, name);
    held.base = text.length;
    held.log = 0;
    const entries: unknown[] = [];
    const numbers = await this.#client.call("HMGET", keyOf(id, "meta"), "after", "seq");
    let [last = 0, newest = 0] = (numbers as (string | null)[]).map(Number);
    for (let after = "-"; ; ) {
      const page = await this.#client.call("XRANGE", keyOf(id, "log"), after, "+", "COUNT", PAGE);
      const found = page as [string, [string, string]][];
      for (const [entry, [, line]] of found) {
        const number = Number.parseInt(entry, 10);
        if (number !== last + 1) throw unusable(log, `the entry ${last + 1} is missing`);
        last = number;
        entries.push(JSON.parse(line));
        held.log += line.length;
      }
      if (found.length < PAGE) break;
      after = `(${found.at(-1)?.[0]}`;
    }
    if (last !== newest) throw unusable(log, `the entry ${last + 1} is missing`);
    return { name, base, entries };
  }

  async append(id: string, entry: string): Promise<void> {
    const held = this.#get(id);
    held.isDoubtful = true;
    const write = () => this.#fenced("append", id, [held.seq + 1, entry]);
    const stored = await (this.#isStrict ? this.#client.safe(write) : write());
    if (typeof stored === "number") {
      // The base document that follows takes the place of all entries.
      held.seq = Math.max(held.seq, stored);
      throw new Vanished("the server has lost its last changes");
    }
    held.isDoubtful = false;
    held.seq += 1;
    held.log += entry.length;
    held.logSince += entry.length;
  }

  sizeOf(id: string): { log: number; base: number } {
    const { log = 0, base = 0 } = this.#held.get(id) ?? {};
    return { log, base };
  }

  rotate(id: string): void {
    const held = this.#get(id);
    // The entry that may exist is included in the base document.
    if (held.isDoubtful) held.seq += 1;
    held.isDoubtful = false;
    held.mark = held.seq;
    held.logSince = 0;
  }

  async compact(id: string, base: BaseDocument): Promise<void> {
    const held = this.#get(id);
    const { mark } = held;
    this.#attempts += 1;
    const staged = `staged.${this.#process}.${this.#attempts}`;
    let [count, size] = [0, 0];
    for await (const text of jsonChunks(base, { levels: LIST_LEVELS }, PIECE_CHARACTERS)) {
      await this.#fenced("stage", id, [count, text, STAGED_MS], staged);
      size += text.length;
      count += 1;
    }
    const write = () => this.#fenced("switch", id, [mark, count], staged);
    const switched = await (this.#isStrict ? this.#client.safe(write) : write());
    if (switched !== "ok") throw new Error("parts of the base document are missing");
    held.base = size;
    held.log = held.logSince;
  }

  async remove(id: string): Promise<void> {
    // If this stops in between, nothing is listed that does not exist.
    await this.#client.call("HDEL", INDEX, id);
    await this.#fenced("remove", id, []);
    this.#held.delete(id);
  }

  // Every write names the fencing number, so a process that lost a sandbox notices it there.
  prove(): undefined {}

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.release(id))).catch(() => {});
    this.#listening?.close();
    this.#client.close();
  }

  // Which process holds which id. Whoever takes one gets a new, higher number, the fencing number, and writes with another one
  // have no effect.

  /** Takes an id; `create`: an unused one. */
  async acquire(id: string, create: boolean): Promise<Claim> {
    for (;;) {
      const number = Math.max(Number(await this.#client.call("INCR", FENCES)), this.#highest + 1);
      this.#highest = number;
      const fence = `${number} ${this.#process}`;
      const began = monotonicNow();
      const args = [fence, create ? "create" : "open", number];
      const [answer, told] = (await this.#run("acquire", id, args)) as string[];
      if (answer === "elsewhere") return { holder: String(told) };
      if (answer === "absent" || answer === "taken") return answer;
      if (answer !== "held") {
        this.#highest = Math.max(this.#highest, Number(told));
        continue;
      }
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

  /** Renews a lease. Resolves with whether this process still holds the id. */
  async renew(id: string, script: "renew" | "release" = "renew"): Promise<boolean> {
    try {
      await this.#fenced(script, id, []);
      return true;
    } catch (error) {
      if (!(error instanceof LeaseHeldElsewhereError)) throw error;
      return false;
    }
  }

  async release(id: string): Promise<void> {
    await this.renew(id, "release");
    this.#held.delete(id);
  }

  async ask(holder: string, id: string): Promise<void> {
    await this.#client.call("PUBLISH", channelOf(holder), id);
  }

  onAsked(listener: (id: string) => void): void {
    this.#onAsked = listener;
  }

  async summarize(id: string, text: string): Promise<void> {
    await this.#client.call("HSET", INDEX, id, text);
  }

  async summary(id: string): Promise<string | null> {
    return (await this.#client.call("HGET", INDEX, id)) as string | null;
  }

  async summaries(): Promise<ReadonlyMap<string, string>> {
    const flat = (await this.#client.call("HGETALL", INDEX)) as string[];
    return new Map(flat.flatMap((id, at) => (at % 2 === 0 ? [[id, flat[at + 1] ?? ""] as const] : [])));
  }

  async nextNumber(): Promise<number> {
    return Number(await this.#client.call("INCR", NUMBERS));
  }

  async ping(): Promise<void> {
    await this.#client.call("PING");
  }

  /** @throws LeaseHeldElsewhereError if this process does not hold the id */
  #get(id: string): Held {
    const held = this.#held.get(id);
    if (held === undefined) throw new LeaseHeldElsewhereError(id);
    return held;
  }

  /** Runs a script that changes what is stored under an id. @throws LeaseHeldElsewhereError if another process holds it now */
  async #fenced(
    name: Exclude<keyof typeof SCRIPTS, "acquire">,
    id: string,
    args: readonly (string | number)[],
    staged?: string,
  ): Promise<unknown> {
    const held = this.#get(id);
    const began = monotonicNow();
    const answer = await this.#run(name, id, [held.fence, ...args], staged);
    if (answer === "lost") {
      if (this.#held.get(id) === held) this.#held.delete(id);
      throw new LeaseHeldElsewhereError(id);
    }
    held.until = began + LEASE_MS;
    return answer;
  }

  #run(
    name: keyof typeof SCRIPTS,
    id: string,
    [fence = "", ...args]: readonly (string | number)[],
    staged = "",
  ): Promise<unknown> {
    const { keys, text }: Script = SCRIPTS[name];
    const names = keys.map((part) => keyOf(id, part === "staged" ? staged : part));
    return this.#client.run(text, names, [fence, this.#process, LEASE_MS, ...args]);
  }
}

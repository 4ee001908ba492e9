import type { Redis, Result } from "iovalkey";
import { reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { omitUndefined } from "../kernel/objects.js";
import { loadPackage } from "../kernel/packages.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { inTime, monotonicNow } from "../kernel/realtime.js";
import { LeaseHeldElsewhereError } from "../sandbox/saver.js";
import type { SandboxSummary } from "../sandbox/summary.js";
import { SERVER_ADDRESS, type Store } from "./port.js";

const DEFAULT_PORT = 6379;
/** The duration of a lease unless it is renewed, ms. */
export const LEASE_MS = 10_000;
const MIN_VERSION = 7;
/** The timeout of a command, ms. */
const COMMAND_MS = 1_500;
/**
 * A connection without any answer for this long is reopened, ms. It is longer than a process may be suspended, because a
 * suspended process notices the time before it reads the answers that arrived meanwhile.
 */
const SILENT_MS = 30_000;
const RECONNECT_MS = 250;

const PREFIX = "messaging-sim";
/** What lists show of each sandbox. */
const INDEX = `${PREFIX}:sandboxes`;
/** The last fencing number. */
const FENCES = `${PREFIX}:fences`;

/** The keys of a sandbox: its `fence`, and how often it was `wanted` by others since its last renewal; its lease; its document. */
const keysOf = (id: string) => ["meta", "lease", "document"].map((part) => `${PREFIX}:{${id}}:${part}`);

/**
 * The scripts, each atomic. Arguments: fencing number and process, process, lease in ms, then those of the script. Under another
 * fencing number they do nothing. One that only changes existing keys also runs when the server is out of memory.
 */
const FENCED = "if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 'lost' end";
const RENEW = "redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])";
const AT_ANY_TIME = "#!lua flags=allow-oom";
const SCRIPTS = {
  /** One more argument: `open` or `create`. */
  acquireSandbox: [
    "#!lua",
    "local holder = redis.call('GET', KEYS[2])",
    "local isElsewhere = holder and holder ~= ARGV[2]",
    "if isElsewhere and ARGV[4] == 'create' then return 'taken' end",
    "if isElsewhere then redis.call('HINCRBY', KEYS[1], 'wanted', 1) return 'elsewhere' end",
    "local isThere = redis.call('EXISTS', KEYS[3]) == 1",
    "if ARGV[4] == 'open' and not isThere then return 'absent' end",
    "if ARGV[4] == 'create' and isThere then return 'taken' end",
    "redis.call('HSET', KEYS[1], 'fence', ARGV[1])",
    "redis.call('HDEL', KEYS[1], 'wanted')",
    RENEW,
    "return 'held'",
  ],
  /**
   * Only one process ever uses a fencing number, so an expired lease that nobody took can be renewed. A single call that went astray
   * does not move a sandbox.
   */
  renewSandbox: [
    AT_ANY_TIME,
    FENCED,
    RENEW,
    "local wanted = tonumber(redis.call('HGET', KEYS[1], 'wanted') or 0)",
    "redis.call('HDEL', KEYS[1], 'wanted')",
    "return wanted > 1 and 'wanted' or 'held'",
  ],
  releaseSandbox: [
    AT_ANY_TIME,
    FENCED,
    "redis.call('HSET', KEYS[1], 'fence', '')",
    "redis.call('DEL', KEYS[2])",
    "return 'ok'",
  ],
  /** One more argument: the text of the document. */
  writeSandbox: ["#!lua", FENCED, RENEW, "redis.call('SET', KEYS[3], ARGV[4])", "return 'ok'"],
  /** It may already be deleted. */
  removeSandbox: [
    AT_ANY_TIME,
    "if redis.call('EXISTS', KEYS[1]) == 0 then return 'ok' end",
    FENCED,
    "redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])",
    "return 'ok'",
  ],
} as const;
type ScriptName = keyof typeof SCRIPTS;

declare module "iovalkey" {
  // The scripts below are defined on every connection.
  interface RedisCommander<Context>
    extends Record<ScriptName, (...args: (string | number | Buffer)[]) => Result<unknown, Context>> {}
}

/**
 * Reads `valkey://[USER[:PASSWORD]@]HOST[:PORT][/DB]`; `valkeys://` and `rediss://` are the same over TLS.
 *
 * @throws UnusableDocument naming the problem
 */
function addressIn(text: string) {
  const location = maskedAddress(text);
  const refuse = (message: string): never => {
    throw new UnusableDocument([problemAt(["data"], `${message}, in ${location}`)]);
  };
  const plain = text.replace(SERVER_ADDRESS, "http://");
  if (!URL.canParse(plain)) return refuse("is not a server address");
  const { hostname, port, pathname, username, password, search, hash } = new URL(plain);
  const [, db] = /^\/?(\d{0,4})$/.exec(pathname) ?? [];
  if (db === undefined || search + hash !== "")
    return refuse("nothing but the number of a database may follow the port");
  return {
    /** Without user and password, for messages. */
    location,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    // A URL leaves out the default port of its scheme.
    port: Number(port || (plain.match(/^http:\/\/[^/]*:80(?:\/|$)/) ? 80 : DEFAULT_PORT)),
    db: Number(db),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    tls: SERVER_ADDRESS.exec(text)?.[2] === "s" ? {} : undefined,
  };
}
type ValkeyAddress = ReturnType<typeof addressIn>;

/** A connection to a server. It reconnects by itself; commands in flight fail. */
function connectionTo({ host, port, db, username, password, tls }: ValkeyAddress): Redis {
  const { Redis: Server } = loadPackage<typeof import("iovalkey")>("iovalkey");
  const scripts = Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, lines]) => [name, { lua: lines.join("\n"), numberOfKeys: 3 }]),
  );
  return new Server({
    ...omitUndefined({ host, port, db, username, password, tls }),
    scripts,
    lazyConnect: true,
    enableOfflineQueue: false,
    connectTimeout: COMMAND_MS,
    socketTimeout: SILENT_MS,
    // The saver decides what to repeat.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_MS,
    // A server that became a replica refuses writes: its name may lead to the new primary by now.
    reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
  });
}

/** The result of trying to take an id: it is ours, it is unused, it exists, another process holds it. */
type Claim = "held" | "absent" | "taken" | "elsewhere";

interface Held {
  /** Its fencing number and this process: a server that lost its last changes may assign a number twice. */
  readonly fence: string;
  /** When the lease expires, of monotonic time, ms. */
  until: number;
}

/**
 * Valkey, or Redis 7: for each id a document under a fencing number. Several processes share it, and each id belongs to one of
 * them at a time.
 */
export class ValkeyStore implements Store {
  readonly location: string;
  readonly #address: ValkeyAddress;
  readonly #connection: Redis;
  readonly #process = secretToken();
  readonly #held = new Map<string, Held>();
  /** Why the connection is down. */
  #trouble: unknown;

  private constructor(address: ValkeyAddress) {
    this.location = address.location;
    this.#address = address;
    this.#connection = connectionTo(address);
    this.#connection.on("error", (error) => {
      this.#trouble = error;
    });
    this.#connection.on("connect", () => {
      this.#trouble = undefined;
    });
  }

  /** @throws UnusableDocument for an invalid address; Error with the reason if the server cannot be used */
  static async open(text: string): Promise<ValkeyStore> {
    const store = new ValkeyStore(addressIn(text));
    try {
      await store.#connect();
      await store.#checkServer();
      return store;
    } catch (error) {
      store.#connection.disconnect();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { db } = this.#address;
    try {
      await this.#answer(this.#connection.connect());
      // Otherwise the client goes on in database 0.
      if (db > 0) await this.#answer(this.#connection.call("SELECT", db));
    } catch (error) {
      const reason = reasonOf(this.#trouble ?? error);
      throw new Error(/DB index/.test(reason) ? `it has no database ${db}` : reason);
    }
  }

  async #checkServer(): Promise<void> {
    const info = String(await this.#answer(this.#connection.call("INFO")));
    const [, version = ""] = /^(?:valkey|redis)_version:(\d+\.\d+)/m.exec(info) ?? [];
    if (Number.parseFloat(version) < MIN_VERSION)
      throw new Error(`its version is ${version}, but at least ${MIN_VERSION} is required`);
    const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (/^allkeys/.test(policy))
      throw new Error(`its maxmemory-policy is ${policy}, which may evict sandboxes: use noeviction`);
  }

  /** The answer of the server. @throws Error with the reason if there is none in time, or it is a refusal */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      return await inTime(COMMAND_MS, answer, "the server does not respond in time");
    } catch (error) {
      const { message } = error as Error;
      if (!/enableOfflineQueue|max retries|Connection is closed/i.test(message)) throw error;
      throw new Error(this.#trouble === undefined ? "the connection was closed" : reasonOf(this.#trouble));
    }
  }

  // Documents.

  async list(): Promise<string[]> {
    return this.#answer(this.#connection.hkeys(INDEX));
  }

  async read(id: string): Promise<{ readonly name: string; readonly text: string }> {
    this.#get(id);
    const [, , key = ""] = keysOf(id);
    const name = `${this.location} ${key}`;
    const text = await this.#answer(this.#connection.get(key));
    if (text === null) throw new UnusableDocument([{ file: name, path: "", message: "is missing" }]);
    return { name, text };
  }

  async write(id: string, content: Buffer | string): Promise<void> {
    await this.#fenced("writeSandbox", id, content);
  }

  async remove(id: string): Promise<void> {
    // If this stops in between, nothing is listed that does not exist.
    await this.#answer(this.#connection.hdel(INDEX, id));
    await this.#fenced("removeSandbox", id);
    this.#held.delete(id);
  }

  // Every write names the fencing number, so a process that lost a sandbox notices it there.
  check(): void {}

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.release(id))).catch(() => {});
    this.#connection.disconnect();
  }

  // Which process holds which id. Whoever takes one gets a new number, the fencing number, and writes with another one have no
  // effect.

  /** Takes an id; `create`: an unused one. A process that holds it learns with its next renewal if it is wanted. */
  async acquire(id: string, create: boolean): Promise<Claim> {
    const fence = `${await this.#answer(this.#connection.incr(FENCES))} ${this.#process}`;
    const until = monotonicNow() + LEASE_MS;
    const claim = (await this.#run("acquireSandbox", id, fence, create ? "create" : "open")) as Claim;
    if (claim === "held") this.#held.set(id, { fence, until });
    return claim;
  }

  isHeld(id: string): boolean {
    return monotonicNow() < (this.#held.get(id)?.until ?? Number.NEGATIVE_INFINITY);
  }

  /** Renews a lease: whether this process still holds the id, and whether another one wants it. */
  async renew(id: string): Promise<"held" | "wanted" | "lost"> {
    try {
      return (await this.#fenced("renewSandbox", id)) as "held" | "wanted";
    } catch (error) {
      if (!(error instanceof LeaseHeldElsewhereError)) throw error;
      return "lost";
    }
  }

  /** Lets others take an id. */
  async release(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held !== undefined) await this.#run("releaseSandbox", id, held.fence);
    this.#held.delete(id);
  }

  async summarize(id: string, summary: SandboxSummary): Promise<void> {
    await this.#answer(this.#connection.hset(INDEX, id, JSON.stringify(summary)));
  }

  async summary(id: string): Promise<SandboxSummary | null> {
    return JSON.parse((await this.#answer(this.#connection.hget(INDEX, id))) ?? "null");
  }

  async summaries(): Promise<SandboxSummary[]> {
    const texts = await this.#answer(this.#connection.hvals(INDEX));
    return texts.map((text) => JSON.parse(text));
  }

  /** @throws LeaseHeldElsewhereError if this process does not hold the id */
  #get(id: string): Held {
    const held = this.#held.get(id);
    if (held === undefined) throw new LeaseHeldElsewhereError(id);
    return held;
  }

  /** Runs a script that changes what is stored under an id. @throws LeaseHeldElsewhereError if another process holds it now */
  async #fenced(
    name: "renewSandbox" | "writeSandbox" | "removeSandbox",
    id: string,
    ...args: readonly (string | Buffer)[]
  ): Promise<unknown> {
    const held = this.#get(id);
    const until = monotonicNow() + LEASE_MS;
    const answer = await this.#run(name, id, held.fence, ...args);
    if (answer !== "lost") {
      held.until = until;
      return answer;
    }
    if (this.#held.get(id) === held) this.#held.delete(id);
    throw new LeaseHeldElsewhereError(id);
  }

  #run(name: ScriptName, id: string, fence: string, ...args: readonly (string | Buffer)[]): Promise<unknown> {
    return this.#answer(this.#connection[name](...keysOf(id), fence, this.#process, LEASE_MS, ...args));
  }
}

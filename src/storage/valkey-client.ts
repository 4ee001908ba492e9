import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Cluster, Redis } from "iovalkey";
import { reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { omitUndefined } from "../kernel/objects.js";
import { loadPackage } from "../kernel/packages.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { inTime } from "../kernel/realtime.js";
import { SERVER_ADDRESS } from "./port.js";

const DEFAULT_PORT = 6379;
const MAX_REPLICAS = 16;

/**
 * Reads `valkey://[USER[:PASSWORD]@]HOST[:PORT][/DB][?cluster=true&replicas=N&fsync=true&ca=FILE]`; `valkeys://` and `rediss://`
 * are the same over TLS.
 *
 * @throws UnusableDocument naming the problem
 */
export function valkeyAddress(text: string) {
  const location = maskedAddress(text);
  const refuse = (message: string): never => {
    throw new UnusableDocument([problemAt(["data"], `${message}, in ${location}`)]);
  };
  const isSecure = SERVER_ADDRESS.exec(text)?.[2] === "s";
  const plain = text.replace(SERVER_ADDRESS, "http://");
  if (!URL.canParse(plain)) return refuse("is not a server address");
  const { hostname, port, pathname, username, password, searchParams, hash } = new URL(plain);
  const [, db = "", rest] = /^\/?(\d{0,4})(.*)$/.exec(pathname) ?? [];
  if (rest !== "" || hash !== "") refuse("the number of a database must follow the port");
  const flag = (name: string): boolean => {
    const value = searchParams.get(name) ?? "false";
    if (value !== "true" && value !== "false") refuse(`${name} must be true or false`);
    return value === "true";
  };
  const known = ["cluster", "replicas", "fsync", "ca"];
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`there is no parameter "${unknown}": known are ${known.join(", ")}`);
  const replicas = Number(searchParams.get("replicas") ?? 0);
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MAX_REPLICAS)
    refuse(`replicas must be a number from 0 to ${MAX_REPLICAS}`);
  const [cluster, fsync, ca] = [flag("cluster"), flag("fsync"), searchParams.get("ca")];
  if (cluster && Number(db) > 0) refuse("a cluster has only database 0");
  if (cluster && (replicas > 0 || fsync)) refuse("replicas and fsync are not available with a cluster");
  if (ca !== null && !isSecure) refuse("ca needs valkeys:// or rediss://");
  return {
    /** Without user and password, for messages. */
    location,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    // A URL leaves out the default port of its scheme.
    port: Number(port || (plain.match(/^http:\/\/[^/]*:80(?:[/?]|$)/) ? 80 : DEFAULT_PORT)),
    db: Number(db),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    /** The authority for checking its certificate, in PEM, or the system's; undefined without TLS. */
    tls: isSecure ? (ca === null ? {} : { ca: authority(ca, refuse) }) : undefined,
    cluster,
    /** How many replicas must have a change before it counts as saved (`WAIT`). */
    replicas,
    /** A change counts as saved once it is on the server's disk (`WAITAOF`). */
    fsync,
  };
}

function authority(file: string, refuse: (message: string) => never): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return refuse(`ca cannot be read: ${file}: ${reasonOf(error)}`);
  }
}

type Argument = string | number;

/** The timeout of a command, ms. */
const COMMAND_MS = 1_500;
/**
 * A connection without any answer for this long is reopened, ms. It is longer than a process may be suspended, because a
 * suspended process notices the time before it reads the answers that arrived meanwhile.
 */
const SILENT_MS = 30_000;
const RECONNECT_MS = 250;

/** A connection to a server or a cluster. It reconnects by itself; commands in flight fail. */
export class ValkeyClient {
  readonly #client: Redis | Cluster;
  readonly #address: ReturnType<typeof valkeyAddress>;
  #trouble: unknown;
  #connections = 0;

  constructor(address: ReturnType<typeof valkeyAddress>) {
    this.#address = address;
    const { host, port, db, username, password, tls, cluster } = address;
    const { Redis: Server, Cluster: Servers } = loadPackage<typeof import("iovalkey")>("iovalkey");
    const access = {
      ...omitUndefined({ username, password, tls }),
      connectTimeout: COMMAND_MS,
      socketTimeout: SILENT_MS,
      // The caller decides what to repeat: an entry has a number, and the store ignores one that it has.
      autoResendUnfulfilledCommands: false,
    };
    const whole = { enableOfflineQueue: false, lazyConnect: true };
    this.#client = cluster
      ? new Servers([{ host, port }], {
          ...whole,
          redisOptions: access,
          clusterRetryStrategy: () => RECONNECT_MS,
        })
      : new Server({
          ...whole,
          ...access,
          host,
          port,
          db,
          maxRetriesPerRequest: 0,
          retryStrategy: () => RECONNECT_MS,
          // A server that became a replica refuses writes: its name may lead to the new primary by now.
          reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
        });
    this.#client.on("error", (error) => {
      this.#trouble = error;
    });
    this.#client.on("connect", () => {
      this.#trouble = undefined;
      this.#connections += 1;
    });
  }

  async connect(): Promise<void> {
    try {
      await answered(this.#client.connect());
      // Otherwise the client goes on in database 0.
      if (this.#address.db > 0) await this.call("SELECT", this.#address.db);
    } catch (error) {
      this.close();
      const reason = reasonOf(this.#trouble ?? error);
      throw new Error(/DB index/.test(reason) ? `it has no database ${this.#address.db}` : reason);
    }
  }

  /** The answer to a command. @throws Error with the reason if there is none, or it is a refusal */
  async call(name: string, ...args: readonly Argument[]): Promise<unknown> {
    try {
      return await answered(this.#client.call(name, ...args));
    } catch (error) {
      const { message } = error as Error;
      if (/enableOfflineQueue|max retries|Connection is closed|Failed to refresh slots/i.test(message))
        throw new Error(this.#trouble === undefined ? "the connection was closed" : reasonOf(this.#trouble));
      throw error;
    }
  }

  /** Runs a script on the server, which caches it. @throws Error with the reason */
  async run(text: string, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    try {
      return await this.call("EVALSHA", createHash("sha1").update(text).digest("hex"), ...rest);
    } catch (error) {
      if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
      return this.call("EVAL", text, ...rest);
    }
  }

  /**
   * Resolves when this connection's writes are as durable as the address asks. @throws Error if they are not, or if the
   * connection was reopened
   */
  async safe(written: () => Promise<unknown>): Promise<unknown> {
    const { replicas, fsync } = this.#address;
    if (replicas === 0 && !fsync) return written();
    const before = this.#connections;
    const result = await written();
    const [local, others] = fsync
      ? ((await this.call("WAITAOF", 1, replicas, COMMAND_MS / 2)) as [number, number])
      : [1, (await this.call("WAIT", replicas, COMMAND_MS / 2)) as number];
    // A reopened connection has written nothing, so the server would confirm at once.
    if (this.#connections !== before) throw new Error("the connection was closed");
    if (local < 1) throw new Error("the server did not write it to disk in time");
    if (others < replicas) throw new Error(`${others} of ${replicas} replicas confirmed it in time`);
    return result;
  }

  /** Subscribes to a channel, over a separate connection. */
  async listen(channel: string, listener: (message: string) => void): Promise<ValkeyClient> {
    const other = new ValkeyClient(this.#address);
    other.#client.on("message", (_channel: string, message: string) => listener(message));
    await other.connect();
    await answered(other.#client.subscribe(channel));
    return other;
  }

  close(): void {
    this.#client.disconnect();
  }
}

/** An answer of the server. @throws Error if it takes too long */
const answered = <T>(answer: Promise<T>): Promise<T> =>
  inTime(COMMAND_MS, answer, "the server does not respond in time");

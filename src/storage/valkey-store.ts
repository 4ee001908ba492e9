import { Chunks } from "../kernel/chunked.js";
import { jsonPieces } from "../kernel/http/answer.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { BaseDocument, Durability, Store, Stored } from "./port.js";
import { ValkeyClient, valkeyAddress } from "./valkey-client.js";
import { INDEX, keyOf, ValkeyLeases } from "./valkey-leases.js";

/** The pieces of a base document have so many characters. */
const PIECE_CHARACTERS = 256 * 1024;
/** Pieces that never became a base document go after so long, ms. */
const STAGED_MS = 600_000;
/** So many entries are read at once. */
const PAGE = 500;
/** Lists of a document stand as deep: `simulator.start.state.messages.records`. */
const LEVELS = 5;
/** The server's version that functions of this kind need. */
const MIN_VERSION = 7;

/**
 * Valkey, or Redis 7: for each id a base document in pieces and a stream of what came after it. Several processes use it, and
 * each id belongs to one of them at a time.
 */
export class ValkeyStore implements Store {
  readonly location: string;
  readonly logBytes = 1024 * 1024;
  readonly leases: ValkeyLeases;
  readonly #client: ValkeyClient;
  readonly #isStrict: boolean;
  #attempts = 0;

  private constructor(location: string, client: ValkeyClient, durability: Durability) {
    this.location = location;
    this.#client = client;
    this.leases = new ValkeyLeases(client);
    this.#isStrict = durability === "strict";
  }

  /** @throws UnusableDocument for an address that is none; Error with the reason where the server cannot be used */
  static async open(text: string, durability: Durability): Promise<ValkeyStore> {
    const address = valkeyAddress(text);
    const client = new ValkeyClient(address);
    await client.connect();
    try {
      const store = new ValkeyStore(address.location, client, durability);
      await store.#checkServer(address.fsync);
      await store.leases.listen();
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
      throw new Error(`it is of version ${version}, and ${MIN_VERSION} is the oldest that will do`);
    const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (/^allkeys/.test(policy))
      throw new Error(`its maxmemory-policy is ${policy}, which forgets sandboxes: noeviction does not`);
    if (!fsync) return;
    if (!/^aof_enabled:1/m.test(info)) throw new Error("fsync needs a server with appendonly yes");
    await this.#client.call("WAITAOF", 0, 0, 0).catch(() => {
      throw new Error(`it is of version ${version}, and fsync needs WAITAOF of Redis 7.2 or Valkey`);
    });
  }

  async list(): Promise<string[]> {
    return [...(await this.leases.notes()).keys()];
  }

  async open(id: string): Promise<Stored> {
    const held = this.leases.get(id);
    const name = `${this.location} ${keyOf(id, "base")}`;
    const { base, size } = await this.#readBase(id, name);
    const entries: unknown[] = [];
    held.base = size;
    held.log = 0;
    for (let after = "-"; ; ) {
      const page = await this.#client.call("XRANGE", keyOf(id, "log"), after, "+", "COUNT", PAGE);
      const found = page as [string, [string, string]][];
      for (const [, [, text]] of found) {
        entries.push(JSON.parse(text));
        held.log += text.length;
      }
      if (found.length < PAGE) return { name, base, entries };
      after = `(${found.at(-1)?.[0]}`;
    }
  }

  async #readBase(id: string, name: string): Promise<{ base: unknown; size: number }> {
    const key = keyOf(id, "base");
    const pieces: string[] = [];
    const count = Number(await this.#client.call("HLEN", key));
    for (let at = 0; at < count; at += 1) pieces.push(String(await this.#client.call("HGET", key, at)));
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const read = parsed(pieces.join(""));
    if (read.problem !== undefined)
      throw new UnusableDocument([{ file: name, path: "", message: read.problem }]);
    return { base: read.value, size };
  }

  async append(id: string, entry: string): Promise<void> {
    const held = this.leases.get(id);
    held.isDoubtful = true;
    const write = () => this.leases.fenced("append", id, [held.seq + 1, entry]);
    await (this.#isStrict ? this.#client.safe(write) : write());
    held.isDoubtful = false;
    held.seq += 1;
    held.log += entry.length;
    held.logSince += entry.length;
  }

  sizeOf(id: string): { log: number; base: number } {
    const { log = 0, base = 0 } = this.leases.find(id) ?? {};
    return { log, base };
  }

  rotate(id: string): void {
    const held = this.leases.get(id);
    // The entry that may be there belongs to what the base document holds.
    if (held.isDoubtful) held.seq += 1;
    held.isDoubtful = false;
    held.mark = held.seq;
    held.logSince = 0;
  }

  async compact(id: string, base: BaseDocument): Promise<void> {
    const held = this.leases.get(id);
    const { mark } = held;
    this.#attempts += 1;
    const staged = `staged.${held.fence}.${this.#attempts}`;
    const chunks = new Chunks();
    let [text, count, size] = ["", 0, 0];
    const flush = async () => {
      await this.leases.fenced("stage", id, [count, text, STAGED_MS], staged);
      size += text.length;
      count += 1;
      text = "";
    };
    for (const piece of jsonPieces(base, LEVELS)) {
      text += piece;
      while (text.length >= PIECE_CHARACTERS) {
        const rest = text.slice(PIECE_CHARACTERS);
        text = text.slice(0, PIECE_CHARACTERS);
        await flush();
        text = rest;
      }
      const pause = chunks.next();
      if (pause !== undefined) await pause;
    }
    await flush();
    const write = () => this.leases.fenced("switch", id, [mark, count], staged);
    const switched = await (this.#isStrict ? this.#client.safe(write) : write());
    if (switched !== "ok") throw new Error("pieces of the base document are gone");
    held.base = size;
    held.log = held.logSince;
  }

  async copy(id: string, label: string): Promise<string> {
    for (const part of ["base", "log"])
      await this.#client.call("COPY", keyOf(id, part), keyOf(id, `${label}:${part}`), "REPLACE");
    return keyOf(id, label);
  }

  async remove(id: string): Promise<void> {
    // Nothing is listed that is not there, should this end in between.
    await this.#client.call("HDEL", INDEX, id);
    await this.leases.fenced("remove", id, []);
    this.leases.forget(id);
  }

  /** Whatever is written names the fencing number, so a process that lost a sandbox hears of it there. */
  prove(): undefined {}

  async close(): Promise<void> {
    await this.leases.close();
    this.#client.close();
  }
}

function parsed(
  text: string,
): { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

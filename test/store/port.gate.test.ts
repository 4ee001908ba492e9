// Slow: a server that is started, stopped and slow.
/** The contract of every store, and of those that several processes share. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { LeaseHeldElsewhereError } from "../../src/sandbox/durable.js";
import { FolderStore } from "../../src/storage/folder-store.js";
import type { BaseDocument, Store } from "../../src/storage/port.js";
import { Vanished } from "../../src/storage/port.js";
import { ValkeyStore } from "../../src/storage/valkey-store.js";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { newFolder } from "../persistence/support.js";
import { freePort } from "../support/free-port.js";
import { type Redis, sharedRedis, startRedis } from "../support/redis.js";
import { until } from "../support/until.js";

const redis = sharedRedis();

/** A document that takes several pieces in a server. */
const LARGE = { messages: Array.from({ length: 9_000 }, (_, n) => ({ id: `${n}`, text: "ü".repeat(60) })) };
const SECTION = { format: 3 };
const documentOf = (name: string): BaseDocument => ({ name, simulator: SECTION });

/** Writes a base document in place of everything before. */
function put(store: Store, id: string, base: BaseDocument): Promise<void> {
  store.rotate(id);
  return store.compact(id, base);
}

async function ownerOf(store: Store, id: string): Promise<Store> {
  const leases = leasesOf(store);
  if (leases !== undefined && !leases.isHeld(id))
    if ((await leases.acquire(id, false)) === "absent") await leases.acquire(id, true);
  return store;
}

const leasesOf = (store: Store) => (store instanceof ValkeyStore ? store : undefined);

describe("a store in a folder", () => keeps("folder"));
describe.each(["server", "cluster"] as const)("a store in a %s", needs("redis"), keeps);

/** What every store promises. */
function keeps(kind: "folder" | "server" | "cluster"): void {
  let cluster: Redis;
  if (kind === "cluster") {
    beforeAll(async () => {
      // Its own choice, 10,000 above the other port, may be a port that the system has given away.
      const own = ["--cluster-port", String(await freePort())];
      cluster = await startRedis("--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", ...own);
      await cluster.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
      await until(async () => (await cluster.ask("CLUSTER", "INFO")).includes("cluster_state:ok"));
    });
    afterAll(() => cluster.stop());
    beforeEach(async () => void (await cluster.ask("FLUSHALL")));
  }
  const openOne = async (place: string): Promise<Store> => {
    const store =
      kind === "folder"
        ? await FolderStore.open(place, "strict", () => {})
        : await ValkeyStore.open(place, "strict");
    onTestFinished(() => store.close().catch(() => {}));
    return store;
  };
  const newPlace = () => {
    if (kind === "folder") return newFolder();
    return kind === "server" ? redis().url() : `${cluster.url()}?cluster=true`;
  };
  async function opened(id = "a") {
    const place = newPlace();
    return { place, store: await ownerOf(await openOne(place), id) };
  }
  /** Another process on what the first one left. */
  async function reopened(store: Store, place: string, id: string): Promise<Store> {
    await store.close();
    return ownerOf(await openOne(place), id);
  }

  it("returns a base document, with any kind of list, and later entries in order", async () => {
    const { place, store } = await opened("A-1");
    await put(store, "A-1", documentOf("first"));
    await store.append("A-1", "[1]");
    const { log } = store.sizeOf("A-1");
    expect(log).toBeGreaterThan(0);
    // What is appended while a base document is written comes after it.
    store.rotate("A-1");
    await store.append("A-1", "[2]");
    await store.compact("A-1", { ...LARGE, threads: new Set([1, 2]).values(), simulator: SECTION });
    for (const entry of ["[3]", "[4]"]) await store.append("A-1", entry);
    expect(store.sizeOf("A-1").log).toBe(3 * log);
    expect(store.sizeOf("A-1").base).toBeGreaterThan(500_000);
    const again = await reopened(store, place, "A-1");
    const { base, entries } = await again.open("A-1");
    expect([base, entries]).toEqual([{ ...LARGE, threads: [1, 2], simulator: SECTION }, [[2], [3], [4]]]);
    expect(again.sizeOf("A-1").log).toBe(3 * log);
  });

  it("deletes everything under an id, and reuses the id", async () => {
    const { place, store } = await opened();
    await put(store, "a", documentOf("old"));
    await leasesOf(store)?.summarize("a", "{}");
    await store.append("a", "[1]");
    await store.remove("a");
    await store.close();
    const second = await openOne(place);
    expect(await second.list()).toEqual([]);
    await ownerOf(second, "a");
    await put(second, "a", documentOf("new"));
    await leasesOf(second)?.summarize("a", "{}");
    const third = await reopened(second, place, "a");
    expect(await third.list()).toEqual(["a"]);
    expect(await third.open("a")).toMatchObject({ base: { name: "new" }, entries: [] });
  });

  it("locates a base document that is not JSON", async () => {
    const { place, store } = await opened();
    await put(store, "a", documentOf("x"));
    await damage(place, "{ broken");
    await expect((await reopened(store, place, "a")).open("a")).rejects.toThrow(/a\b.*(json|base)/);
  });

  async function damage(place: string, text: string): Promise<void> {
    if (kind !== "folder")
      await (kind === "server" ? redis() : cluster).ask("HSET", "messaging-sim:{a}:base", "0", text);
    else writeFileSync(`${place}/sandboxes/a.json`, text);
  }
}

describe("a server that several processes use", needs("redis"), () => {
  async function processes(): Promise<[ValkeyStore, ValkeyStore]> {
    const open = () => ValkeyStore.open(redis().url(), "strict");
    const stores: [ValkeyStore, ValkeyStore] = [await open(), await open()];
    for (const store of stores) onTestFinished(() => store.close().catch(() => {}));
    return stores;
  }
  /** A process that holds the new sandbox `a`, and another one. */
  async function held(): Promise<[ValkeyStore, ValkeyStore]> {
    const [one, two] = await processes();
    expect(await one.acquire("a", true)).toBe("held");
    await put(one, "a", documentOf("a"));
    return [one, two];
  }
  /** Lets a lease expire. */
  const expire = (id: string) => redis().ask("DEL", `messaging-sim:{${id}}:lease`);
  const kept = async (id: string) => [
    await redis().ask("XLEN", `messaging-sim:{${id}}:log`),
    await redis().ask("HGETALL", `messaging-sim:{${id}}:base`),
  ];

  it("leases an id to one process at a time", async () => {
    expect(await (await processes())[0].acquire("a", false)).toBe("absent");
    const [one, two] = await held();
    expect(await two.acquire("a", false)).toMatchObject({ holder: expect.any(String) });
    expect(await two.acquire("a", true)).toMatchObject({ holder: expect.any(String) });
    await one.release("a");
    expect(await two.acquire("a", true)).toBe("taken");
    expect(await two.acquire("a", false)).toBe("held");
    expect((await two.open("a")).base).toMatchObject({ name: "a" });
  });

  it("changes nothing under a lost lease", async () => {
    const [one, two] = await held();
    await one.append("a", "[1]");
    await expire("a");
    expect(await two.acquire("a", false)).toBe("held");
    const before = await kept("a");
    await expect(one.append("a", "[2]")).rejects.toThrow(LeaseHeldElsewhereError);
    expect(await kept("a")).toEqual(before);
    expect(one.isHeld("a")).toBe(false);
    await expect(one.append("a", "[2]")).rejects.toThrow(LeaseHeldElsewhereError);
    await one.release("a");
    expect(two.isHeld("a")).toBe(true);
    await two.append("a", "[3]");
    expect((await two.open("a")).entries).toEqual([[1], [3]]);
  });

  it.each(["compact", "remove", "renew"] as const)("refuses %s under a lost lease", async (what) => {
    const [one, two] = await held();
    one.rotate("a");
    await expire("a");
    await two.acquire("a", false);
    const before = await kept("a");
    const call = what === "compact" ? one.compact("a", documentOf("other")) : one[what]("a");
    if (what === "renew") expect(await call).toBe(false);
    else await expect(call).rejects.toThrow(LeaseHeldElsewhereError);
    expect(await kept("a")).toEqual(before);
    expect(await one.renew("a")).toBe(false);
    expect(await two.renew("a")).toBe(true);
  });

  it("lets a process continue whose lease expired if no other took it", async () => {
    const [one] = await held();
    await expire("a");
    expect(await one.renew("a")).toBe(true);
    expect(await redis().ask("PTTL", "messaging-sim:{a}:lease")).toMatch(/^:(10000|9\d\d\d)\r/);
    await one.append("a", "[1]");
  });

  it("adds an entry once if its answer was lost", async () => {
    const [one] = await held();
    await one.append("a", "[1]");
    redis().pause();
    await expect(one.append("a", "[2]")).rejects.toThrow("does not respond in time");
    redis().resume();
    // The server has it by now, and gets it again.
    await one.append("a", "[2]");
    await one.append("a", "[3]");
    expect((await one.open("a")).entries).toEqual([[1], [2], [3]]);
  });

  it("is in time for a process that was busy when the answer arrived", async () => {
    const [one] = await held();
    const appended = one.append("a", "[1]");
    const pinged = one.ping();
    for (const began = performance.now(); performance.now() - began < 1_700; );
    await Promise.all([appended, pinged]);
    expect((await one.open("a")).entries).toEqual([[1]]);
  });

  it("includes an entry of unknown fate in the next base document", async () => {
    const [one] = await held();
    redis().pause();
    await expect(one.append("a", "[1]")).rejects.toThrow("does not respond in time");
    redis().resume();
    await put(one, "a", documentOf("with 1"));
    await one.append("a", "[2]");
    expect(await one.open("a")).toMatchObject({ base: documentOf("with 1"), entries: [[2]] });
  });

  it("detects that its last entries are gone, and accepts a base document instead", async () => {
    const [one] = await held();
    for (const entry of ["[1]", "[2]", "[3]"]) await one.append("a", entry);
    await redis().ask("XTRIM", "messaging-sim:{a}:log", "MAXLEN", "0");
    await redis().ask("XADD", "messaging-sim:{a}:log", "1-0", "e", "[1]");
    await redis().ask("HSET", "messaging-sim:{a}:meta", "seq", "1");
    await expect(one.append("a", "[4]")).rejects.toThrow(Vanished);
    await put(one, "a", documentOf("with 4"));
    await one.append("a", "[5]");
    expect(await one.open("a")).toMatchObject({ base: documentOf("with 4"), entries: [[5]] });
  });

  it.each(["1-0", "2-0", "3-0"])("refuses a stream without its entry %s", async (entry) => {
    const [one] = await held();
    for (const text of ["[1]", "[2]", "[3]"]) await one.append("a", text);
    await redis().ask("XDEL", "messaging-sim:{a}:log", entry);
    await expect(one.open("a")).rejects.toThrow(/\{a\}:log {2}the entry \d is missing/);
  });

  it("distinguishes processes to which it assigned the same number after a loss", async () => {
    const [one, two] = await held();
    const last = async () =>
      (await redis().ask("HGET", "messaging-sim:{a}:meta", "last")).match(/\d+(?=\r\n$)/)?.[0];
    const number = Number(await last());
    await expire("a");
    await redis().ask("SET", "messaging-sim:fences", String(number - 1));
    await redis().ask("HSET", "messaging-sim:{a}:meta", "last", String(number - 1));
    expect(await two.acquire("a", false)).toBe("held");
    expect(Number(await last())).toBe(number);
    await expect(one.append("a", "[1]")).rejects.toThrow(LeaseHeldElsewhereError);
    await two.append("a", "[2]");
    expect((await two.open("a")).entries).toEqual([[2]]);
  });
});

it.each([
  ["valkey://127.0.0.1:1/0?what=1", /no parameter "what".*cluster, replicas/],
  ["valkey://127.0.0.1:1/none", /number of a database/],
  ["valkey://127.0.0.1:1/1?cluster=true", /only database 0/],
  ["valkey://127.0.0.1:1/?cluster=maybe", /cluster must be true or false/],
  ["valkey://127.0.0.1:1/?replicas=99", /replicas must be a number from 0 to 16/],
  ["valkey://127.0.0.1:1/?ca=x.pem", /ca needs valkeys/],
  ["valkeys://127.0.0.1:1/?ca=/none.pem", /ca cannot be read: \/none.pem/],
  ["valkey://me:secret@127.0.0.1:1/x", /in valkey:\/\/me:••••et@127/],
  ["valkey://:99999", /not a server address/],
])("the address of a server is refused: %s", async (address, message) => {
  const error = await ValkeyStore.open(address, "strict").catch((thrown: Error) => thrown);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toContain("secret");
});

describe("the address of a server", needs("redis"), () => {
  it("selects a database, with user and password", async () => {
    await redis().ask("ACL", "SETUSER", "me", "on", ">s3cret", "~*", "&*", "+@all");
    const { port } = redis();
    const open = (password: string, db: number) =>
      ValkeyStore.open(`redis://me:${password}@127.0.0.1:${port}/${db}`, "strict");
    const store = await open("s3cret", 3);
    onTestFinished(() => store.close());
    expect(store.location).toBe(`redis://me:••••et@127.0.0.1:${port}/3`);
    await store.summarize("a", "{}");
    expect(await redis().ask("DBSIZE")).toBe(":0\r\n");
    await expect(open("s3cret", 99)).rejects.toThrow("it has no database 99");
    const wrong = open("wr0ng", 3);
    await expect(wrong).rejects.toThrow(/WRONGPASS|invalid username-password/);
    await expect(wrong).rejects.not.toThrow(/wr0ng/);
  });

  it("works over TLS with a trusted certificate", async () => {
    const folder = newFolder();
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(cert, CERTIFICATE);
    writeFileSync(key, KEY);
    const tls = await freePort();
    const files = ["--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert];
    const secure = await startRedis("--tls-port", String(tls), "--tls-auth-clients", "no", ...files);
    onTestFinished(() => secure.stop());
    const store = await ValkeyStore.open(`valkeys://localhost:${tls}/0?ca=${cert}`, "strict");
    onTestFinished(() => store.close());
    await store.summarize("a", "{}");
    expect([...(await store.summaries())]).toEqual([["a", "{}"]]);
    await expect(ValkeyStore.open(`rediss://localhost:${tls}`, "strict")).rejects.toThrow(/self-signed/);
  });

  it("is refused if its server may evict data", async () => {
    const forgetful = await startRedis("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
    onTestFinished(() => forgetful.stop());
    await expect(ValkeyStore.open(forgetful.url(), "strict")).rejects.toThrow(
      /maxmemory-policy is allkeys-lru/,
    );
  });

  it("is refused at the start if its server does not answer", async () => {
    redis().pause();
    onTestFinished(() => redis().resume());
    await expect(ValkeyStore.open(redis().url(), "strict")).rejects.toThrow("does not respond in time");
  });

  it("waits for the given number of replicas", async () => {
    const store = await ValkeyStore.open(`${redis().url()}?replicas=1`, "strict");
    onTestFinished(() => store.close());
    await store.acquire("a", true);
    store.rotate("a");
    await expect(store.compact("a", documentOf("a"))).rejects.toThrow("0 of 1 replicas confirmed it in time");
    const replica = await startRedis("--replicaof", `127.0.0.1 ${redis().port}`);
    onTestFinished(() => replica.stop());
    for (const write of [() => store.compact("a", documentOf("a")), () => store.append("a", "[1]")])
      await until(async () => (await write().catch(String)) === undefined);
    expect(await replica.ask("XLEN", "messaging-sim:{a}:log")).toBe(":1\r\n");
  });
});

// Slow: a server that is started, stopped and slow.
/** The contract of every store, and of those that several processes share. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { LeaseHeldElsewhereError } from "../../src/sandbox/saver.js";
import type { SandboxSummary } from "../../src/sandbox/summary.js";
import { FolderStore } from "../../src/storage/folder.js";
import type { Store } from "../../src/storage/port.js";
import { ValkeyStore } from "../../src/storage/valkey-store.js";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { serveWith } from "../persistence/command.js";
import { newFolder } from "../persistence/support.js";
import { freePort } from "../support/free-port.js";
import { sharedRedis, startRedis } from "../support/redis.js";

const redis = sharedRedis();

/** More than a server takes in one packet, with characters of several bytes. */
const LARGE = JSON.stringify(
  Array.from({ length: 20_000 }, (_, n) => ({ id: `${n}`, text: "ü".repeat(60) })),
);

/** What lists show of the sandbox a. */
const SUMMARY: SandboxSummary = { id: "a", tokens: [], expiresAt: null };

async function ownerOf(store: Store, id: string): Promise<Store> {
  const leases = leasesOf(store);
  if (leases !== undefined && !leases.isHeld(id))
    if ((await leases.acquire(id, false)) === "absent") await leases.acquire(id, true);
  return store;
}

const leasesOf = (store: Store) => (store instanceof ValkeyStore ? store : undefined);
const textIn = async (store: Store, id: string): Promise<string> => (await store.read(id)).text;

describe("a store in a folder", () => keeps("folder"));
describe("a store in a server", needs("redis"), () => keeps("server"));

/** What every store promises. */
function keeps(kind: "folder" | "server"): void {
  const openOne = async (place: string): Promise<Store> => {
    const store = kind === "folder" ? await FolderStore.open(place, () => {}) : await ValkeyStore.open(place);
    onTestFinished(() => store.close().catch(() => {}));
    return store;
  };
  const newPlace = () => (kind === "folder" ? newFolder() : redis().url());
  async function opened(id = "a") {
    const place = newPlace();
    return { place, store: await ownerOf(await openOne(place), id) };
  }
  /** Another process on what the first one left. */
  async function reopened(store: Store, place: string, id: string): Promise<Store> {
    await store.close();
    return ownerOf(await openOne(place), id);
  }

  it("returns the document that was written last", async () => {
    const { place, store } = await opened("A-1");
    for (const text of ["first", LARGE, "", LARGE]) {
      await store.write("A-1", text);
      expect(await textIn(store, "A-1")).toBe(text);
    }
    const again = await reopened(store, place, "A-1");
    expect(await textIn(again, "A-1")).toBe(LARGE);
  });

  it("deletes a document, and reuses its id", async () => {
    const { place, store } = await opened();
    await store.write("a", "old");
    await leasesOf(store)?.summarize("a", SUMMARY);
    await store.remove("a");
    await store.close();
    const second = await openOne(place);
    expect(await second.list()).toEqual([]);
    await ownerOf(second, "a");
    await second.write("a", "new");
    await leasesOf(second)?.summarize("a", SUMMARY);
    const third = await reopened(second, place, "a");
    expect(await third.list()).toEqual(["a"]);
    expect(await textIn(third, "a")).toBe("new");
  });

  it("says which document is missing", async () => {
    const { store } = await opened();
    await expect(store.read("a")).rejects.toThrow(/(a\.json|\{a\}:document) {2}(cannot be read|is missing)/);
  });
}

describe("a folder", () => {
  it("keeps what its new owner wrote: the old one cannot put in place what it had begun before", async () => {
    const folder = newFolder();
    const first = await FolderStore.open(folder, () => {});
    await first.write("a", "first");
    const lock = join(folder, "lock");
    // The second process believes that the first one has ended: another has its id.
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, "utf8")), startTime: "0" }));
    const begun = `${join(folder, "a.json")}.${Math.random().toString(36).slice(2)}.new`;
    writeFileSync(begun, "begun");
    const second = await FolderStore.open(folder, () => {});
    onTestFinished(() => second.close());
    // All that was left to do for the first one.
    expect(() => renameSync(begun, join(folder, "a.json"))).toThrow("ENOENT");
    await second.read("a");
    await second.write("a", "second");
    await expect(first.write("a", "late")).rejects.toThrow("has taken over the folder: stop this one");
    await expect(first.remove("a")).rejects.toThrow("has taken over the folder: stop this one");
    await first.close();
    expect(await textIn(second, "a")).toBe("second");
    expect(readdirSync(folder).sort()).toEqual(["a.json", "lock"]);
  });

  it("never writes over what is there already", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "x.json"));
    const store = await FolderStore.open(folder, () => {});
    onTestFinished(() => store.close());
    await expect(store.write("x", "mine")).rejects.toThrow("x.json is there already");
    await expect(store.read("x")).rejects.toThrow("is a folder, and must be a file");
  });
});

describe("a server that several processes use", needs("redis"), () => {
  async function processes(): Promise<[ValkeyStore, ValkeyStore]> {
    const open = () => ValkeyStore.open(redis().url());
    const stores: [ValkeyStore, ValkeyStore] = [await open(), await open()];
    for (const store of stores) onTestFinished(() => store.close().catch(() => {}));
    return stores;
  }
  /** A process that holds the new sandbox `a`, and another one. */
  async function held(): Promise<[ValkeyStore, ValkeyStore]> {
    const [one, two] = await processes();
    expect(await one.acquire("a", true)).toBe("held");
    await one.write("a", "first");
    return [one, two];
  }
  /** Lets a lease expire. */
  const expire = (id: string) => redis().ask("DEL", `messaging-sim:{${id}}:lease`);
  const kept = (id: string) => redis().ask("GET", `messaging-sim:{${id}}:document`);

  it("leases an id to one process at a time", async () => {
    expect(await (await processes())[0].acquire("a", false)).toBe("absent");
    const [one, two] = await held();
    expect(await two.acquire("a", false)).toBe("elsewhere");
    expect(await two.acquire("a", true)).toBe("taken");
    await one.release("a");
    expect(await two.acquire("a", true)).toBe("taken");
    expect(await two.acquire("a", false)).toBe("held");
    expect(await textIn(two, "a")).toBe("first");
  });

  it("changes nothing under a lost lease", async () => {
    const [one, two] = await held();
    await one.write("a", "one");
    await expire("a");
    expect(await two.acquire("a", false)).toBe("held");
    await expect(one.write("a", "lost")).rejects.toThrow(LeaseHeldElsewhereError);
    expect(await textIn(two, "a")).toBe("one");
    expect(one.isHeld("a")).toBe(false);
    await expect(one.write("a", "lost")).rejects.toThrow(LeaseHeldElsewhereError);
    await one.release("a").catch(() => {});
    expect(two.isHeld("a")).toBe(true);
    await two.write("a", "two");
    expect(await textIn(two, "a")).toBe("two");
  });

  it.each(["write", "remove", "renew"] as const)("refuses %s under a lost lease", async (what) => {
    const [one, two] = await held();
    await expire("a");
    await two.acquire("a", false);
    const before = await kept("a");
    if (what === "renew") expect(await one.renew("a")).toBe("lost");
    else await expect(one[what]("a", "other")).rejects.toThrow(LeaseHeldElsewhereError);
    expect(await kept("a")).toEqual(before);
    expect(await one.renew("a").catch(() => "lost")).toBe("lost");
    expect(await two.renew("a")).toBe("held");
  });

  it("lets a process continue whose lease expired if no other took it", async () => {
    const [one] = await held();
    await expire("a");
    expect(await one.renew("a")).toBe("held");
    expect(await redis().ask("PTTL", "messaging-sim:{a}:lease")).toMatch(/^:(10000|[1-9]\d\d\d)\r/);
    await one.write("a", "on");
  });

  it("has the later of two documents if the first one's answer was lost", async () => {
    const [one] = await held();
    redis().pause();
    await expect(one.write("a", "second")).rejects.toThrow("does not respond in time");
    redis().resume();
    await one.write("a", "third");
    expect(await textIn(one, "a")).toBe("third");
  });

  it("is in time for a process that was busy when the answer arrived", async () => {
    const [one] = await held();
    const written = one.write("a", "second");
    for (const began = performance.now(); performance.now() - began < 1_700; );
    await written;
    expect(await textIn(one, "a")).toBe("second");
  });

  it("that lost its last changes gets them with the next document", async () => {
    const [one] = await held();
    await one.write("a", "second");
    await redis().ask("DEL", "messaging-sim:{a}:document");
    await one.write("a", "third");
    expect(await textIn(one, "a")).toBe("third");
  });

  it("distinguishes processes to which it assigned the same number after a loss", async () => {
    const [one, two] = await held();
    const last = async () =>
      /\d+(?= )/.exec(await redis().ask("HGET", "messaging-sim:{a}:meta", "fence"))?.[0];
    const number = Number(await last());
    await expire("a");
    await redis().ask("SET", "messaging-sim:fences", String(number - 1));
    expect(await two.acquire("a", false)).toBe("held");
    expect(Number(await last())).toBe(number);
    await expect(one.write("a", "lost")).rejects.toThrow(LeaseHeldElsewhereError);
    await two.write("a", "two");
    expect(await textIn(two, "a")).toBe("two");
  });

  it("tells the holder of an id once that another process wants it", async () => {
    const [one, two] = await held();
    expect(await one.renew("a")).toBe("held");
    expect(await two.acquire("a", false)).toBe("elsewhere");
    // One call may have gone astray.
    expect(await one.renew("a")).toBe("held");
    for (let n = 0; n < 2; n += 1) expect(await two.acquire("a", false)).toBe("elsewhere");
    expect(await one.renew("a")).toBe("wanted");
    await one.release("a");
    expect(await two.acquire("a", false)).toBe("held");
    expect(await two.renew("a")).toBe("held");
  });
});

it.each([
  ["valkey://127.0.0.1:1/0?what=1", /number of a database/],
  ["valkey://127.0.0.1:1/none", /number of a database/],
  ["valkey://me:secret@127.0.0.1:1/x", /in valkey:\/\/me:••••et@127/],
  ["valkey://:99999", /not a server address/],
])("the address of a server is refused: %s", async (address, message) => {
  const error = await ValkeyStore.open(address).catch((thrown: Error) => thrown);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toContain("secret");
});

describe("the address of a server", needs("redis"), () => {
  it("selects a database, with user and password", async () => {
    await redis().ask("ACL", "SETUSER", "me", "on", ">s3cret", "~*", "&*", "+@all");
    const { port } = redis();
    const open = (password: string, db: number) =>
      ValkeyStore.open(`redis://me:${password}@127.0.0.1:${port}/${db}`);
    const store = await open("s3cret", 3);
    onTestFinished(() => store.close());
    expect(store.location).toBe(`redis://me:••••et@127.0.0.1:${port}/3`);
    await store.summarize("a", SUMMARY);
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
    const sim = await serveWith({ NODE_EXTRA_CA_CERTS: cert }, `valkeys://localhost:${tls}/0`);
    expect((await sim.control("PUT /sandboxes/a")).status).toBe(201);
    expect(await sim.stop()).toBe(0);
    await expect(ValkeyStore.open(`rediss://localhost:${tls}`)).rejects.toThrow(/self-signed/);
  });

  it("is refused if its server may evict data", async () => {
    const forgetful = await startRedis("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
    onTestFinished(() => forgetful.stop());
    await expect(ValkeyStore.open(forgetful.url())).rejects.toThrow(/maxmemory-policy is allkeys-lru/);
  });

  it("is refused at the start if its server does not answer", async () => {
    redis().pause();
    onTestFinished(() => redis().resume());
    await expect(ValkeyStore.open(redis().url())).rejects.toThrow("does not respond in time");
  });
});

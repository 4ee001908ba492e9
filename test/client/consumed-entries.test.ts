/** Each entry is taken once. The test writes the server's log itself. */
import { expect, it } from "vitest";
import { ConsumedEntries } from "../../src/client/consumed-entries.js";
import { Transport } from "../../src/client/transport.js";

const numberOf = (id = "r0") => Number(id.slice(1));

/** A server with one log of texts. A wait that is not met ends immediately. */
function server(...log: string[]) {
  const waits: { since?: string; except?: string[] }[] = [];
  const transport = new Transport("/__sim", {
    fetch: async (_url, { body }) => {
      const { requests, count, since, except } = JSON.parse(body ?? "").for;
      waits.push({ since, except });
      const matches = log
        .map((text, index) => ({ id: `r${index + 1}`, text }))
        .filter(({ id }) => numberOf(id) > numberOf(since) && !except.includes(id))
        .filter(({ text }) => text.startsWith(requests.text));
      return Response.json({ matches, nearMisses: [] }, { status: matches.length >= count ? 200 : 408 });
    },
  });
  const consumed = new ConsumedEntries(transport);
  /** The id of the entry taken, or how many entries were available. */
  const take = async (text = "", options: { count?: number; purpose?: string } = {}) => {
    const { entry, matches } = await consumed.take("requests", { text }, { timeoutMs: 1000, ...options });
    return entry?.id ?? matches.length;
  };
  return { log, waits, consumed, take };
}

it("takes an entry once, the oldest first, for every match of its purpose, and for no other purpose", async () => {
  const { take } = server("a", "b");
  expect([await take("b"), await take(), await take()]).toEqual(["r2", "r1", 0]);
  const purpose = "replies";
  expect([await take("b", { purpose }), await take("", { purpose })]).toEqual(["r2", "r1"]);
});

it("takes no entry if there are too few", async () => {
  const { take, log } = server("a");
  expect(await take("", { count: 2 })).toBe(1);
  log.push("b", "c");
  expect([await take("", { count: 2 }), await take()]).toEqual(["r1", "r3"]);
});

it("takes no entry before the start", async () => {
  const { take, consumed } = server("a", "b", "c");
  consumed.restart({ requests: "r1" });
  expect([consumed.start("requests"), consumed.start("deliveries")]).toEqual(["r1", undefined]);
  expect([await take(), await take(), await take()]).toEqual(["r2", "r3", 0]);
  consumed.restart();
  expect(await take()).toBe("r1");
  expect([consumed.isTaken("requests", "r1"), consumed.isTaken("requests", "r2")]).toEqual([true, false]);
});

it("takes an entry that matches late, even before others that were taken", async () => {
  const { take, log } = server("late", "a", "a");
  expect([await take("a"), await take("a"), await take("a")]).toEqual(["r2", "r3", 0]);
  log[0] = "a, late";
  expect(await take("a")).toBe("r1");
});

it("names no more than a thousand entries that it leaves out, and asks for none before them", async () => {
  const { take, waits } = server(...Array(1_005).fill("a"));
  for (let taken = 0; taken < 1_002; taken += 1) await take("a");
  expect(await take("a")).toBe("r1003");
  expect(waits.at(-1)?.since).toBe("r2");
  expect(waits.at(-1)?.except).toHaveLength(1_000);
});

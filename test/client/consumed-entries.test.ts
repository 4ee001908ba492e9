/** Each entry is taken once. The test writes the server's log itself. */
import { describe, expect, it } from "vitest";
import { ConsumedEntries } from "../../src/client/consumed-entries.js";
import { Transport } from "../../src/client/transport.js";

interface Entry {
  readonly id: string;
  text: string;
}
interface Wait {
  readonly for: {
    readonly requests: { readonly text?: string };
    readonly count: number;
    readonly since?: string;
  };
  readonly timeoutMs: number;
}

const numberOf = (id: string | undefined) => Number(id?.slice(1) ?? 0);

/** A server with one log. A wait that is not met ends immediately. */
function server() {
  const log: Entry[] = [];
  const waits: Wait[] = [];
  const transport = new Transport("/__sim", {
    fetch: async (_url, { body }) => {
      const wait: Wait = JSON.parse(body ?? "");
      waits.push(wait);
      const { requests: match, count, since } = wait.for;
      const matches = log.filter(
        ({ id, text }) => numberOf(id) > numberOf(since) && text.startsWith(match.text ?? ""),
      );
      const status = matches.length >= count ? 200 : 408;
      return Response.json({ matches, nearMisses: [], count: matches.length }, { status });
    },
  });
  const consumed = new ConsumedEntries(transport);
  return {
    consumed,
    waits,
    log,
    write: (...texts: string[]) => {
      for (const text of texts) log.push({ id: `r${log.length + 1}`, text });
    },
    /** The id of the entry taken, or how many entries were available. */
    take: async (text = "", options: { count?: number; purpose?: string; since?: string } = {}) => {
      const { entry, fresh } = await consumed.take("requests", { text }, { timeoutMs: 1000, ...options });
      return entry?.id ?? fresh.length;
    },
  };
}

describe("an entry", () => {
  it("is taken once, the oldest first, for every match of its purpose, and for no other purpose", async () => {
    const { take, write } = server();
    write("a", "b");
    expect(await take("b")).toBe("r2");
    expect([await take(), await take()]).toEqual(["r1", 0]);
    expect([await take("b", { purpose: "replies" }), await take("", { purpose: "replies" })]).toEqual([
      "r2",
      "r1",
    ]);
  });

  it("is not taken if there are too few", async () => {
    const { take, write } = server();
    write("a");
    expect(await take("", { count: 2 })).toBe(1);
    write("b", "c");
    expect(await take("", { count: 2 })).toBe("r1");
    expect(await take()).toBe("r3");
  });

  it("does not count before `since`, or before the start", async () => {
    const { take, write, consumed } = server();
    write("a", "b", "c");
    expect(await take("", { since: "r2" })).toBe("r3");
    consumed.restart({ requests: "r1" });
    expect([consumed.start("requests"), consumed.start("deliveries")]).toEqual(["r1", undefined]);
    expect([await take(), await take(), await take()]).toEqual(["r2", "r3", 0]);
    consumed.restart();
    expect(await take()).toBe("r1");
    expect([consumed.isTaken("requests", "r1"), consumed.isTaken("requests", "r2")]).toEqual([true, false]);
  });

  it("is not requested again after many were taken, unless it matches late", async () => {
    const { take, write, waits, log } = server();
    write("late", ...Array.from({ length: 20 }, () => "a"));
    for (let taken = 0; taken < 20; taken += 1) await take("a");
    write("a");
    expect(await take("a")).toBe("r22");
    expect(waits.at(-1)?.for).toMatchObject({ since: "r21" });
    log[0]!.text = "a, late";
    expect(await take("a")).toBe("r1");
    const [newer, all] = waits.slice(-2);
    expect([newer?.for.since, all?.for.since]).toEqual(["r21", undefined]);
    expect((newer?.timeoutMs ?? 0) + (all?.timeoutMs ?? 0)).toBe(1000);
  });
});

import { describe, expect, it } from "vitest";
import { eventBatches } from "../../src/client/stream.js";
import { Transport } from "../../src/client/transport.js";
import { openSandbox, startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const START = Date.parse("2026-01-01T09:00:00Z");
const STATUS = "POST /api/update-thread-status";

describe("GET /__sim/changes", () => {
  it("lists when and why a thread's status, business or window changed, including changes over time", async () => {
    const sim = await openSandbox({ clock: START, behaviour: { "window.duration": "24h" } });
    await sim.control("POST /threads/9002/inbound", { text: "Hello" });
    await sim.api(STATUS, { customerThreadId: "9002", status: "resolved" });
    await sim.control("POST /clock/advance", { by: "25h" });
    await sim.control("POST /threads/9002/transfer", { businessId: "1002" });
    const change = (id: string, at: number, causes: (string | null)[], from: object, to: object) => {
      const [causedBy, afterRequest, afterControl] = causes;
      return { threadId: "9002", id, at, causedBy, afterRequest, afterControl, from, to };
    };
    const open = { isMessagingWindowOpen: true };
    const closed = { isMessagingWindowOpen: false };
    expect((await sim.control("GET /changes?threadId=9002")).body).toEqual([
      change("s1", START, ["c1", null, null], closed, open),
      change("s2", START, ["r1", "r1", "c1"], { status: "replied" }, { status: "resolved" }),
      change("s3", START + 24 * 3_600_000, [null, "r1", "c1"], open, closed),
      expect.objectContaining({
        id: "s4",
        causedBy: "c3",
        from: expect.objectContaining({ businessId: "1001" }),
        to: expect.objectContaining({ businessId: "1002" }),
      }),
    ]);
    expect(idsOf(await sim.control("GET /changes?since=s2&limit=1"))).toEqual(["s3"]);
    await sim.control("POST /reset");
    expect((await sim.control("GET /changes")).body).toEqual([]);
  });

  it("omits other changes, and windows on channels without one", async () => {
    const sim = await openSandbox();
    await sim.control("PATCH /data/threads/9003", { isMessagingWindowOpen: false });
    await sim.control("PATCH /data/threads/9001", { windowClosesAt: null });
    expect((await sim.api(STATUS, { customerThreadId: "9001", status: "x" })).status).toBe(400);
    expect((await sim.control("GET /changes")).body).toEqual([]);
  });

  it("keeps as many changes as the journal has entries, and streams each as it is listed", async () => {
    const sim = await startSimulator({ journalLimit: 3 });
    const abort = new AbortController();
    const streamed: unknown[] = [];
    const statuses = ["resolved", "waiting", "replied", "resolved", "waiting"];
    for await (const events of eventBatches(new Transport(`${sim.url}/__sim`), abort.signal, ["change"])) {
      if (events.some(({ event }) => event === "hello"))
        for (const status of statuses) await sim.api(STATUS, { customerThreadId: "9003", status });
      streamed.push(...events.filter(({ event }) => event === "change").map(({ data }) => data));
      if (streamed.length === statuses.length) abort.abort();
    }
    const kept = await sim.control("GET /changes");
    expect(idsOf(kept)).toEqual(["s3", "s4", "s5"]);
    expect(streamed.slice(-3)).toEqual(kept.body);
  });
});

import { describe, expect, it } from "vitest";
import { eventBatches } from "../../src/client/stream.js";
import { Transport } from "../../src/client/transport.js";
import { openSandbox, startSimulator } from "../support/simulator.js";

const START = Date.parse("2026-01-01T09:00:00Z");
const HOUR = 3_600_000;

describe("GET /__sim/changes", () => {
  it("lists when and why a thread's status, business or window changed, including changes over time", async () => {
    const sim = await openSandbox({ clock: "2026-01-01T09:00:00Z" });
    await sim.control("PATCH /behaviour", { "window.duration": "24h" });
    await sim.control("POST /threads/9002/inbound", { text: "Hello" });
    await sim.api("POST /api/update-thread-status", { customerThreadId: "9002", status: "resolved" });
    await sim.control("POST /clock/advance", { by: "25h" });
    await sim.control("POST /threads/9002/transfer", { businessId: "1002" });
    const { body } = await sim.control("GET /changes?threadId=9002");
    const change = (id: string, at: number, causes: (string | null)[], from: object, to: object) => {
      const [causedBy, afterRequest, afterControl] = causes;
      return { threadId: "9002", id, at, causedBy, afterRequest, afterControl, from, to };
    };
    const open = { isMessagingWindowOpen: true };
    const closed = { isMessagingWindowOpen: false };
    expect(body).toEqual([
      change("s1", START, ["c2", null, "c1"], closed, open),
      change("s2", START, ["r1", "r1", "c2"], { status: "replied" }, { status: "resolved" }),
      change("s3", START + 24 * HOUR, [null, "r1", "c2"], open, closed),
      expect.objectContaining({
        id: "s4",
        causedBy: "c4",
        from: expect.objectContaining({ businessId: "1001" }),
        to: expect.objectContaining({ businessId: "1002" }),
      }),
    ]);
    const since = await sim.control("GET /changes?since=s2&limit=1");
    expect(since.body.map(({ id }: { id: string }) => id)).toEqual(["s3"]);
    await sim.control("POST /reset");
    expect((await sim.control("GET /changes")).body).toEqual([]);
  });

  it("omits other changes, and windows on channels without one", async () => {
    const sim = await openSandbox();
    await sim.control("PATCH /data/threads/9003", { isMessagingWindowOpen: false });
    await sim.control("PATCH /data/threads/9001", { windowClosesAt: null });
    const unknown = { customerThreadId: "9001", status: "x" };
    expect((await sim.api("POST /api/update-thread-status", unknown)).status).toBe(400);
    expect((await sim.control("GET /changes")).body).toEqual([]);
  });

  it("keeps as many changes as the journal has entries, and streams each as it is listed", async () => {
    const sim = await startSimulator({ journalLimit: 3 });
    const abort = new AbortController();
    const told: unknown[] = [];
    const transport = new Transport(`${sim.url}/__sim`);
    const statuses = ["resolved", "waiting", "replied", "resolved", "waiting"];
    for await (const events of eventBatches(transport, abort.signal, ["change"])) {
      if (events.some(({ event }) => event === "hello"))
        for (const status of statuses)
          await sim.api("POST /api/update-thread-status", { customerThreadId: "9003", status });
      for (const { event, data } of events) if (event === "change") told.push(data);
      if (told.length === statuses.length) abort.abort();
    }
    const { body } = await sim.control("GET /changes");
    expect(body.map(({ id }: { id: string }) => id)).toEqual(["s3", "s4", "s5"]);
    expect(told.slice(-3)).toEqual(body);
  });
});

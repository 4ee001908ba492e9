import { describe, expect, it } from "vitest";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { openSandbox, startSimulator } from "../support/simulator.js";

describe("GET /__sim/controls", () => {
  it("lists the calls that changed something, in order, each with the preceding API call", async () => {
    const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.api("GET /api/webhooks");
    await sim.control("POST /threads/9001/inbound", {});
    await sim.control("POST /threads/none/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
    await sim.control("POST /verify", { requests: {} });
    await sim.control("POST /webhooks/crm/ping");
    await sim.control("GET /state");
    await sim.control("POST /clock/advance", { by: "1h" });
    await sim.control("DELETE /data/threads/9003?_dependent=messages");
    await sim.control("PATCH /sandboxes/default/behaviour", { "delivery.attempts": 2 });
    const { body } = await sim.control("GET /controls");
    expect(body).toMatchObject([
      {
        id: "c1",
        at: 1767258000000,
        method: "POST",
        path: "/threads/9001/inbound",
        query: {},
        body: { text: "Hello" },
        status: 201,
        response: { threadId: "9001", text: "Hello" },
        after: null,
      },
      { id: "c2", path: "/clock/advance", body: { by: "1h" }, response: { now: 1767261600000 }, after: "r1" },
      { id: "c3", at: 1767261600000, method: "DELETE", query: { _dependent: "messages" }, body: null },
      { id: "c4", method: "PATCH", path: "/behaviour", body: { "delivery.attempts": 2 }, response: null },
    ]);
    expect(body).toHaveLength(4);
    const { body: deliveries } = await sim.control("GET /deliveries");
    expect(deliveries).toMatchObject([{ causedBy: "c1" }]);
    expect((await sim.control("GET /controls?since=c2&limit=1")).body).toMatchObject([{ id: "c3" }]);
  });

  it("says who made a call: the dashboard, a scenario, or unknown", async () => {
    const sim = await startSimulator();
    for (const by of [undefined, "page", "somebody"])
      await sim.control(
        "POST /threads/9001/inbound",
        { text: "Hi" },
        by === undefined ? {} : { "X-Sim-By": by },
      );
    const scenario = { name: "Says hello", thread: "9001", steps: [{ customer: "Hello" }] };
    expect((await sim.control("POST /scenarios/run", { scenario })).status).toBe(200);
    const { body } = await sim.control("GET /controls");
    expect(body.map(({ by }: { by?: string }) => by)).toEqual([undefined, "page", undefined, "scenario"]);
  });

  it("is bounded, belongs to one sandbox, and is cleared by a reset", async () => {
    const sim = await startSimulator({ journalLimit: 3 });
    const { id } = (await sim.control("POST /sandboxes")).body;
    for (let at = 0; at < 5; at += 1)
      await sim.control(`POST /sandboxes/${id}/snapshots`, { name: `s${at}` });
    const ids = async () =>
      (await sim.control(`GET /sandboxes/${id}/controls`)).body.map((call: { id: string }) => call.id);
    expect(await ids()).toEqual(["c3", "c4", "c5"]);
    expect((await sim.control("GET /controls")).body).toEqual([]);
    await sim.control(`POST /sandboxes/${id}/reset`);
    expect(await ids()).toEqual([]);
    await sim.control(`DELETE /sandboxes/${id}/faults`);
    expect(await ids()).toEqual(["c1"]);
  });

  it("omits bodies over 1 MiB", async () => {
    const sim = await openSandbox();
    const { body: state } = await sim.control("GET /state");
    await sim.control("PUT /state", state);
    await sim.control("PUT /state", JSON.stringify(state) + " ".repeat(1024 * 1024));
    const { body } = await sim.control("GET /controls");
    expect(body).toMatchObject([{ body: { organizations: state.organizations } }, { body: null }]);
  });

  it("has every write to a sandbox, except those that change nothing or are recorded in parts", () => {
    const idsOf = (recorded: ControlRoute["recorded"]) =>
      ROUTES.filter((route) => route.recorded === recorded).map(({ id }) => id);
    expect(idsOf(false).sort()).toEqual(["pingWebhook", "reset", "runScenario", "sink", "verify", "wait"]);
    expect(idsOf("call").sort()).toEqual(["patchBehaviour", "putState"]);
  });
});

describe("GET /__sim/start", () => {
  it("is what the sandbox started with, whatever happened since", async () => {
    const faults = [{ on: "delivery", times: 1, then: "unavailable" }] as const;
    const sim = await startSimulator({ seed: 5, faults });
    const { body: state } = await sim.control("GET /state");
    await sim.control("PATCH /behaviour", { "delivery.attempts": 2 });
    await sim.control("PATCH /data/threads/9001", { status: "resolved" });
    expect((await sim.control("GET /start")).body).toEqual({
      fixtures: state,
      standard: true,
      shipped: true,
      faults,
      behaviour: {},
      seed: 5,
      clock: null,
      ids: "same",
    });
    const fixtures = { organizations: [{ id: "1", name: "Alone" }] };
    await sim.control("POST /reset", {
      fixtures,
      clock: 1000,
      seed: 7,
      behaviour: { "delivery.attempts": 3 },
    });
    expect((await sim.control("GET /start")).body).toMatchObject({
      fixtures: { ...fixtures, threads: [] },
      standard: false,
      shipped: false,
      behaviour: { "delivery.attempts": 3 },
      seed: 7,
      clock: 1000,
    });
    await sim.control("POST /reset");
    expect((await sim.control("GET /start")).body).toMatchObject({ standard: true, seed: 5, clock: null });
    const own = await startSimulator({ fixtures });
    expect((await own.control("GET /start")).body).toMatchObject({ standard: true, shipped: false });
  });
});

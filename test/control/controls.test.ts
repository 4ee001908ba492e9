import { describe, expect, it } from "vitest";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const START = Date.parse("2026-01-01T09:00:00Z");
const SAY = "POST /threads/9001/inbound";

describe("GET /__sim/controls", () => {
  it("lists the calls that changed something, in order, each with the preceding API call and its maker", async () => {
    const sim = await startSimulator({ clock: START });
    await sim.control(SAY, { text: "Hello" }, { "X-Sim-By": "page" });
    await sim.api("GET /api/webhooks");
    await sim.control(SAY, {});
    await sim.control("POST /threads/none/inbound", { text: "Hello" });
    for (const call of ["POST /wait", "POST /verify"]) await sim.control(call, { for: "idle", requests: {} });
    await sim.control("POST /webhooks/crm/ping");
    await sim.control("GET /state");
    await sim.control("POST /clock/advance", { by: "1h" }, { "X-Sim-By": "somebody" });
    await sim.control("DELETE /data/threads/9003?_dependent=messages");
    await sim.control("PATCH /sandboxes/default/behaviour", { "delivery.attempts": 2 });
    const scenario = { name: "Says hello", thread: "9001", steps: [{ customer: "Hello" }] };
    expect((await sim.control("POST /scenarios/run", { scenario })).status).toBe(200);
    const { body } = await sim.control("GET /controls");
    const [now, query] = [START + 3_600_000, { _dependent: "messages" }];
    const said = { method: "POST", path: "/threads/9001/inbound", query: {}, body: { text: "Hello" } };
    const answer = { status: 201, response: { threadId: "9001", text: "Hello" }, after: null };
    expect(body).toMatchObject([
      { id: "c1", at: START, by: "page", ...said, ...answer },
      { id: "c2", path: "/clock/advance", body: { by: "1h" }, response: { now }, after: "r1" },
      { id: "c3", at: now, method: "DELETE", query, body: null },
      { id: "c4", method: "PATCH", path: "/behaviour", body: { "delivery.attempts": 2 }, response: null },
      { id: "c5", by: "scenario" },
    ]);
    expect(body.filter((call: object) => !("by" in call))).toHaveLength(3);
    expect((await sim.control("GET /deliveries")).body[0]).toMatchObject({ causedBy: "c1" });
    expect(idsOf(await sim.control("GET /controls?since=c2&limit=1"))).toEqual(["c3"]);
  });

  it("is bounded, belongs to one sandbox, and is cleared by a reset", async () => {
    const sim = await startSimulator({ journalLimit: 3 });
    await sim.control("POST /sandboxes", { id: "s1" });
    for (let at = 0; at < 5; at += 1) await sim.control("POST /sandboxes/s1/snapshots", { name: `s${at}` });
    const ids = async () => idsOf(await sim.control("GET /sandboxes/s1/controls"));
    expect(await ids()).toEqual(["c3", "c4", "c5"]);
    expect((await sim.control("GET /controls")).body).toEqual([]);
    await sim.control("POST /sandboxes/s1/reset");
    expect(await ids()).toEqual([]);
    await sim.control("DELETE /sandboxes/s1/faults");
    expect(await ids()).toEqual(["c1"]);
  });

  it("omits bodies over 1 MiB", async () => {
    const sim = await startSimulator();
    const { body: state } = await sim.control("GET /state");
    await sim.control("PUT /state", state);
    await sim.control("PUT /state", JSON.stringify(state) + " ".repeat(1024 * 1024));
    const { body } = await sim.control("GET /controls");
    expect(body).toMatchObject([{ body: { organizations: state.organizations } }, { body: null }]);
  });

  it("has every write to a sandbox, except those that change nothing or are recorded in parts", () => {
    const recorded = (how: ControlRoute["recorded"]) =>
      ROUTES.filter((route) => route.recorded === how).map(({ id }) => id);
    expect(recorded(false).sort()).toEqual(["pingWebhook", "reset", "runScenario", "sink", "verify", "wait"]);
    expect(recorded("call").sort()).toEqual(["patchBehaviour", "putState"]);
  });
});

it("GET /__sim/start is what the sandbox started with, whatever happened since", async () => {
  const faults = [{ on: "delivery", times: 1, then: "unavailable" }] as const;
  const sim = await startSimulator({ seed: 5, faults });
  const start = async () => (await sim.control("GET /start")).body;
  const { body: state } = await sim.control("GET /state");
  await sim.control("PATCH /behaviour", { "delivery.attempts": 2 });
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  const own = { behaviour: {}, seed: 5, clock: null };
  const kind = { standard: true, shipped: true, ids: "same" };
  expect(await start()).toEqual({ fixtures: state, faults, ...own, ...kind });
  const fixtures = { organizations: [{ id: "1", name: "Alone" }] };
  const other = { clock: 1000, seed: 7, behaviour: { "delivery.attempts": 3 } };
  await sim.control("POST /reset", { fixtures, ...other });
  const replaced = { fixtures: { ...fixtures, threads: [] }, standard: false, shipped: false };
  expect(await start()).toMatchObject({ ...other, ...replaced });
  await sim.control("POST /reset");
  expect(await start()).toMatchObject({ ...own, ...kind });
});

/** The addresses, statuses and shapes that the control API promises. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LeaseHeldElsewhereError } from "../../src/sandbox/durable.js";
import { request, talk } from "../hostile/raw.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { DETAILS } from "./client.js";

/** Each route of section 5 that exists for a sandbox, with a body that it takes and the status of its success. */
const SANDBOX_ROUTES: readonly (readonly [call: string, status: number, body?: unknown])[] = [
  ["GET /state", 200],
  ["PUT /state", 200, { organizations: [{ id: "200", name: "A" }] }],
  ["POST /reset", 200],
  ["GET /data/threads", 200],
  ["GET /data/threads/9001", 200],
  ["POST /data/customers", 201, { id: "new", organizationId: "200" }],
  ["PUT /data/customers/new", 200, { id: "new", organizationId: "200" }],
  ["PATCH /data/customers/new", 200, { firstName: "New" }],
  ["DELETE /data/customers/new", 200],
  ["POST /snapshots", 201, { name: "one" }],
  ["GET /snapshots", 200],
  ["POST /snapshots/one/restore", 200],
  ["DELETE /snapshots/one", 200],
  ["GET /clock", 200],
  ["PUT /clock", 200, { now: "2026-01-01T09:00:00Z", frozen: true }],
  ["POST /clock/advance", 200, { by: "24h" }],
  ["POST /threads/9001/inbound", 201, { text: "Hi" }],
  ["POST /threads/9001/employee-message", 201, { userId: "501", text: "Hello" }],
  ["GET /threads/9001/transcript", 200],
  ["GET /threads/9001/transcript?format=md", 200],
  ["POST /threads/9001/window", 200, { open: true }],
  ["POST /threads/9001/transfer", 200, { businessId: "1002" }],
  ["POST /events", 202, { eventType: "transfer", data: {} }],
  ["POST /wait", 200, { for: "idle" }],
  ["POST /wait", 408, { for: { requests: { path: "/never" } }, timeoutMs: 1 }],
  ["POST /verify", 200, { deliveries: { eventType: "transfer" } }],
  ["POST /verify", 422, { requests: { path: "/never" } }],
  ["GET /requests", 200],
  ["DELETE /requests", 200],
  ["GET /deliveries", 200],
  ["POST /deliveries/d1/replay", 202],
  ["POST /webhooks/crm/ping", 200],
  ["GET /faults", 200],
  ["POST /faults", 201, { on: "delivery", then: "hang-up" }],
  ["DELETE /faults/f1", 200],
  ["DELETE /faults", 200],
  ["GET /warnings", 200],
  ["DELETE /warnings", 200],
  ["GET /behaviour", 200],
  ["PATCH /behaviour", 200, { "delivery.attempts": 2 }],
  ["PUT /sinks/mine", 200, { status: 201, delayMs: 0, body: { fine: true } }],
  ["POST /sinks/mine", 201, { any: "thing" }],
  ["GET /sinks/mine/received", 200],
  ["GET /scenarios", 200],
  ["POST /scenarios/run", 200, { scenario: { name: "n", steps: [{ log: "Hello" }] } }],
];

const ERROR = {
  error: {
    code: expect.stringMatching(/^[a-z-]+$/),
    message: expect.any(String),
    details: expect.any(Array),
  },
};

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator({ set: {} });
  await sim.control("POST /sandboxes", { id: "s" });
});

const at = (call: string, prefix: string) => call.replace(" /", ` ${prefix}/`);

describe("every route of a sandbox", () => {
  it.each([
    ["default", ""],
    ["a sandbox by its name", "/sandboxes/s"],
    ["default by its name", "/sandboxes/default"],
  ])("answers as it should for %s", async (_, prefix) => {
    for (const [call, expected, body] of SANDBOX_ROUTES) {
      const { status } = await sim.control(at(call, prefix), body);
      expect([call, status]).toEqual([call, expected]);
    }
  });

  it("is unknown for an unknown sandbox", async () => {
    for (const [call, , body] of SANDBOX_ROUTES) {
      const answer = await sim.control(at(call, "/sandboxes/none"), body);
      expect([call, answer.status, answer.body]).toEqual([call, 404, ERROR]);
    }
  });
});

describe("the server", () => {
  it("tells its health", async () => {
    const { status, body } = await sim.control("GET /health");
    expect([status, body]).toEqual([
      200,
      {
        status: "ok",
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        uptimeMs: expect.any(Number),
        sandboxes: 2,
      },
    ]);
  });
});

describe("an answer of the simulated API", () => {
  it("has Retry-After if another process has the sandbox, as in the control API", async () => {
    const sim = await startSimulator();
    const gone = vi.spyOn(sim.registry.default.log, "settled");
    onTestFinished(() => gone.mockRestore());
    gone.mockImplementation(() => Promise.reject(new LeaseHeldElsewhereError("default")));
    for (const line of [`GET ${DETAILS}`, "GET /__sim/clock"]) {
      const { answers } = await talk(sim.url, [request(line)]);
      expect([line, answers[0]?.status, answers[0]?.head]).toEqual([
        line,
        421,
        expect.stringMatching(/^retry-after: 1$/im),
      ]);
    }
  });

  it("is not sent if another process has taken over the sandbox meanwhile", async () => {
    const sim = await startSimulator();
    const proven = vi.spyOn(sim.registry.default.log, "proven");
    onTestFinished(() => proven.mockRestore());
    proven.mockImplementation(() => Promise.reject(new LeaseHeldElsewhereError("default")));
    for (const line of [`GET ${DETAILS}`, "POST /__sim/reset", "DELETE /__sim/requests"]) {
      const { answers } = await talk(sim.url, [request(line)]);
      expect([line, answers]).toEqual([line, []]);
    }
  });

  it("belongs to the sandbox of its token, or to the one that its token names, else to default", async () => {
    for (const token of ["s.acme-token", "s.no", "none.acme-token", "default.acme-token"])
      await sim.api(`GET ${DETAILS}`, undefined, { token });
    const seen = async (path: string) =>
      (await sim.control(`GET ${path}/requests`)).body.map(({ token, status }: Record<string, unknown>) => [
        token,
        status,
      ]);
    expect(await seen("/sandboxes/s")).toEqual([
      ["s.acme-token", 200],
      ["s.no", 401],
    ]);
    expect(await seen("")).toEqual([
      ["none.acme-token", 401],
      ["default.acme-token", 200],
    ]);
  });
});

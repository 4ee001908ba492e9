/** Every fault of a request, as the client's socket sees it, and what it leaves behind. */
import { beforeEach, expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import { type RawAnswer, request, talk } from "../hostile/raw.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";
import { DETAILS, SEND, settled } from "./client.js";

/** Stands for a connection that was closed without a byte. */
const HUNG_UP = undefined;

async function call(
  { url, tokenOf }: Caller,
  line: string,
  body: object | undefined,
  token = tokenOf(),
): Promise<RawAnswer | typeof HUNG_UP> {
  const { answers, text } = await talk(url, [request(line, { token }, JSON.stringify(body))]);
  if (answers.length === 0) expect(text).toBe("");
  return answers[0];
}
const say = (sim: Caller, text: string) => call(sim, `POST ${SEND}`, { customerThreadId: "9001", text });

/** The text of the last message of thread 9001. */
const lastText = async ({ control }: Caller) =>
  (await control("GET /data/messages?threadId=9001")).body.at(-1).text;

let sim: Caller;
/** The last message of the thread at the start. */
let lastBefore: string;
beforeEach(async () => {
  sim = await openSandbox({ clock: "2026-01-01T09:00:00Z" });
  lastBefore = await lastText(sim);
});

const fault = async (then: FaultInput["then"], rule: object = {}) => {
  const { status } = await sim.control("POST /faults", { on: "request", then, ...rule });
  expect(status).toBe(201);
};
const journalled = async () => (await sim.control("GET /requests")).body.at(-1);
const deliveries = async () => {
  await settled(sim);
  return (await sim.control("GET /deliveries")).body;
};

it("latency comes before the service's own answer", async () => {
  await fault({ delayMs: 60 });
  const before = performance.now();
  expect(await say(sim, "late")).toMatchObject({ status: 200, body: "{}" });
  expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  expect((await journalled()).durationMs).toBeGreaterThanOrEqual(59);
  expect(await lastText(sim)).toBe("late");
});

it.each<[FaultInput["then"], number, unknown, head?: RegExp]>([
  [{ status: 503, body: { error: "no" } }, 503, { error: "no" }],
  [{ status: 418 }, 418, {}],
  [{ body: [1, "two", null] }, 200, [1, "two", null]],
  [{ status: 200, body: null }, 200, null],
  ["rate-limited", 429, { error: "Too many requests" }, /\r\nRetry-After: 1\r\n/],
  ["unavailable", 503, { error: "Service unavailable" }],
])("%j answers in place of the service, which changes nothing", async (then, status, body, head = /^/) => {
  await fault(then);
  const sent = JSON.stringify(body);
  const seen = { status, body: sent, head: expect.stringMatching(head) };
  expect(await say(sim, "unheard")).toMatchObject(seen);
  expect(await lastText(sim)).toBe(lastBefore);
  expect(await deliveries()).toEqual([]);
  const entry = { status, response: body, body: { text: "unheard" }, fault: "f1" };
  expect(await journalled()).toMatchObject(entry);
  await sim.control("DELETE /faults");
  await say(sim, "heard");
  expect(await journalled()).not.toHaveProperty("fault");
});

it("headers are added to the service's own answer", async () => {
  await fault({ headers: { "X-Trace": "42 \u00ff", "Retry-After": "7" } });
  const seen = await say(sim, "with headers");
  const head = /\r\nX-Trace: 42 \u00ff\r\nRetry-After: 7\r\n/;
  expect(seen).toMatchObject({ status: 200, head: expect.stringMatching(head) });
  expect(await lastText(sim)).toBe("with headers");
});

it("malformed is a complete answer that is no JSON, after the change", async () => {
  await fault({ malformed: true });
  const { status, head, body } = (await say(sim, "broken"))!;
  expect(head).toMatch(/\r\nContent-Type: application\/json/i);
  expect(head).toContain(`Content-Length: ${body.length}`);
  expect(() => JSON.parse(body)).toThrow(SyntaxError);
  expect([status, await lastText(sim)]).toEqual([200, "broken"]);
});

it.each<FaultInput["then"]>([{ drop: "before", delayMs: 5 }, "hang-up"])(
  "%j closes the connection",
  async (then) => {
    await fault(then);
    expect(await say(sim, "dropped")).toBe(HUNG_UP);
    expect(await lastText(sim)).toBe(lastBefore);
    expect(await deliveries()).toEqual([]);
    expect(await journalled()).toMatchObject({ status: null, response: null, body: { text: "dropped" } });
  },
);

it("drop after closes the connection after the change and its event", async () => {
  await fault({ drop: "after" });
  expect(await say(sim, "done")).toBe(HUNG_UP);
  expect(await lastText(sim)).toBe("done");
  const { id, ...entry } = await journalled();
  expect(entry).toMatchObject({ status: null, lostStatus: 200, response: null });
  for (const [match, status] of [
    [{ succeeded: true }, 200],
    [{ status: null }, 200],
    [{ succeeded: false }, 422],
    [{ status: 200 }, 422],
  ] as const) {
    const verified = await sim.control("POST /verify", { requests: { path: SEND, ...match }, count: 1 });
    expect([match, verified.status]).toEqual([match, status]);
  }
  expect(await deliveries()).toMatchObject([
    { causedBy: id, status: "delivered", body: { data: { messageBody: "done" } } },
  ]);
});

it("token-expired answers every call like one with an invalid token", async () => {
  await fault("token-expired");
  const seen = await say(sim, "x");
  expect(seen).toMatchObject({ head: expect.stringMatching(/\r\nX-Sim-Behaviour: auth\.invalid\r\n/) });
  const { status, body } = seen!;
  await sim.control("DELETE /faults");
  expect(await call(sim, `GET ${DETAILS}`, undefined, "no")).toMatchObject({ status, body });
  expect([status, await lastText(sim)]).toEqual([401, lastBefore]);
});

const HOURS = 10_000_000;
const held = async (s: Caller) => {
  await s.control("POST /faults", { on: "request", then: { delayMs: HOURS } });
  const answer = call(s, `POST ${SEND}`, { customerThreadId: "9001", text: "too late" });
  expect((await s.control("POST /wait", { for: { requests: {} } })).status).toBe(200);
  return { answer };
};

it("a call that a fault delays is dropped by a reset, and changes nothing", async () => {
  const { answer } = await held(sim);
  await sim.control("POST /reset");
  expect(await answer).toBe(HUNG_UP);
  expect(await lastText(sim)).toBe(lastBefore);
  expect((await sim.control("GET /requests")).body).toEqual([]);
  expect(await deliveries()).toEqual([]);
});

it("a call that a fault delays is dropped if its sandbox is deleted", async () => {
  const server = await startSimulator();
  await server.control("POST /sandboxes", { id: "gone" });
  const control: Caller["control"] = (line, body) =>
    server.control(line.replace(" /", " /sandboxes/gone/"), body);
  const { answer } = await held({ ...server, control, tokenOf: () => "gone.acme-token" });
  const { outbox } = server.registry.get("gone")!.run;
  await server.control("DELETE /sandboxes/gone");
  expect(await answer).toBe(HUNG_UP);
  expect(outbox.idle).toBe(true);
});

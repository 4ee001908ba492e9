/** Anything that can be done to a sandbox, drawn at random. */
import fc from "fast-check";
import type { Running } from "../support/simulator.js";
import { SINK } from "./observe.js";

/** Something done to the sandbox with an id; what is started and not awaited is left to go on. */
export type Command = (sim: Running, id: string) => Promise<unknown>;

const control =
  (call: string, body?: unknown): Command =>
  (sim, id) => {
    const [method, path] = call.split(" ");
    return sim.control(`${method} /sandboxes/${id}${path}`, body);
  };

const api =
  (call: string, body?: unknown): Command =>
  (sim, id) =>
    sim.api(call, body, { token: `${id}.acme-token` }).catch(() => "hung up");

/** Starts a call of the simulated API and waits only until it has come in, if only as one with an unknown token. */
const begun =
  (command: Command): Command =>
  async (sim, id) => {
    const marks = () =>
      sim.registry.get(id)!.run.logs.journal.mark + sim.registry.default.run.logs.journal.mark;
    const before = marks();
    void command(sim, id);
    while (marks() === before) await new Promise((resolve) => setImmediate(resolve));
  };

const thread = fc.constantFrom("9001", "9002", "9003", "9005", "none");
const text = fc.constantFrom("Hello", "", "ünï", "x".repeat(300));
const duration = fc.constantFrom("1s", "1m", "1h", "25h");
const snapshot = fc.constantFrom("one", "two");

const conversation = [
  fc.tuple(thread, text).map(([id, said]) => control(`POST /threads/${id}/inbound`, { text: said })),
  fc
    .tuple(thread, fc.constantFrom("501", "504", "601"), fc.boolean())
    .map(([id, userId, internal]) =>
      control(`POST /threads/${id}/employee-message`, { userId, text: "I", internal }),
    ),
  fc.tuple(thread, fc.boolean()).map(([id, open]) => control(`POST /threads/${id}/window`, { open })),
  fc
    .tuple(thread, fc.constantFrom("1001", "1002", "2001"))
    .map(([id, businessId]) => control(`POST /threads/${id}/transfer`, { businessId })),
  fc.constant(control("POST /events", { eventType: "message", data: { messageBody: "given" } })),
  fc.constantFrom("d1", "d2").map((id) => control(`POST /deliveries/${id}/replay`)),
  fc.constantFrom("d1", "d2", "d3").map((id) => control(`POST /deliveries/${id}/release`)),
];

const calls = [
  fc
    .tuple(thread, text)
    .map(([customerThreadId, said]) =>
      api("POST /api/send-message-to-customer-thread", { customerThreadId, text: said, odd: true }),
    ),
  fc.constantFrom("1001", "1002", "1003", "2001").map((businessId) =>
    api("POST /api/widget/send-message-to-business", {
      businessId,
      message: "Hi",
      user: { whatsapp: "+15550100" },
    }),
  ),
  fc
    .tuple(thread, fc.constantFrom("waiting", "replied", "closed"))
    .map(([customerThreadId, status]) => api("POST /api/update-thread-status", { customerThreadId, status })),
  fc
    .constantFrom("sink:demo", "sink:other", "https://bot.example/", "nothing")
    .map((url) => api("POST /api/webhooks/", { url, subscribedEvents: ["messages", "transfers"] })),
  fc.constant(api("POST /api/webhooks/crm/delete")),
  fc.constant(api("POST /api/update-hook-url", { url: "http://127.0.0.1:9/" })),
  fc.constant(api("POST /api/user/delete-by-email", { email: "chloe@acme.example" })),
  fc.constant(api("GET /api/webhooks/")),
];

const world = [
  fc.constant(control("PATCH /data/customers/cust_001", { firstName: "Changed" })),
  fc.constant(control("POST /data/customers", { organizationId: "200" })),
  fc.constant(control("DELETE /data/webhooks/1")),
  fc.constant(control("PATCH /data/threads/9003", { windowClosesAt: 1_767_260_000_000 })),
  fc.constant(control("PUT /state", { organizations: [{ id: "1", name: "Alone" }] })),
  snapshot.map((name) => control("POST /snapshots", { name })),
  snapshot.map((name) => control(`POST /snapshots/${name}/restore`)),
  duration.map((by) => control("POST /clock/advance", { by })),
  fc.boolean().map((frozen) => control("PUT /clock", { frozen })),
  fc.integer({ min: 0, max: 2e12 }).map((now) => control("PUT /clock", { now })),
];

const EFFECTS = [
  { status: 503 },
  { drop: "before" },
  { drop: "after" },
  { malformed: true },
  { delayMs: { min: 1, max: 9 } },
];
const settings = [
  fc
    .tuple(
      fc.constantFrom(...EFFECTS),
      fc.constantFrom("request", "delivery"),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([then, on, probability]) => control("POST /faults", { on, then, probability, times: 3 })),
  fc
    .constantFrom<object[]>(
      { duplicate: 1 },
      { reorder: true },
      { reorder: true, delayMs: 3 },
      { hold: true, headers: { "x-held": "1" } },
      { payload: { eventType: null, undocumented: [1] } },
      { copy: { payload: { data: null }, signature: "altered" } },
      { answerLost: true },
    )
    .map((then) => control("POST /faults", { on: "delivery", then, times: 2 })),
  fc.constantFrom("/faults", "/requests", "/warnings").map((path) => control(`DELETE ${path}`)),
  fc
    .constantFrom<object[]>(
      { "delivery.attempts": 3, "delivery.backoff": ["1m", "1h"] },
      { "delivery.order": "none" },
      { "window.duration": "1h" },
      { "limits.rate": { requests: 2, per: "10m" } },
      { "tokens.lifetime": "1s" },
      { "timestamps.unit": "s" },
    )
    .map((values) => control("PATCH /behaviour", values)),
  fc.constantFrom(200, 500, 204).map((status) => control(`PUT /sinks/${SINK}`, { status, delayMs: 2 })),
  fc.constant(control("POST /reset", { seed: 99, clock: "2020-01-01" })),
];

const HOURS = 10_000_000;
/** What is under way, for hours if need be, when the reset comes. */
const underWay = [
  fc.constant<Command>(async (sim, id) => {
    await control(`PUT /sinks/${SINK}`, { delayMs: 500_000 })(sim, id);
    await control("POST /threads/9001/inbound", { text: "slow" })(sim, id);
  }),
  fc.constant<Command>(async (sim, id) => {
    await control("POST /faults", { on: "delivery", then: { delayMs: HOURS } })(sim, id);
    await control("POST /threads/9001/inbound", { text: "held" })(sim, id);
  }),
  fc.constant<Command>(async (sim, id) => {
    await control("POST /faults", { on: "request", times: 1, then: { delayMs: HOURS } })(sim, id);
    const body = { customerThreadId: "9001", text: "late" };
    await begun(api("POST /api/send-message-to-customer-thread", body))(sim, id);
  }),
  fc.constant<Command>(async (sim, id) => {
    const wait = control("POST /wait", { for: { requests: { path: "/never" } }, timeoutMs: 20 });
    // The simulator may be closed while the call is still on its way.
    void wait(sim, id).catch(() => "hung up");
  }),
];

/** A list of commands after each of which a sandbox comes to rest. */
export const briefCommands = fc.array(fc.oneof(...conversation, ...calls, ...world, ...settings), {
  minLength: 1,
  maxLength: 20,
});

/** A list of commands; what would take its time before a reset comes last. */
export const commands = fc
  .tuple(briefCommands, fc.array(fc.oneof(...underWay), { maxLength: 2 }))
  .map(([first, last]) => [...first, ...last]);

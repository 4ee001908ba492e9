/** Anything that can be done to a sandbox, drawn at random: calls of both APIs, as data, so that a failure shows them. */
import fc from "fast-check";
import type { Answer, Running } from "../support/simulator.js";
import { SINK } from "./observe.js";

/** A call to one sandbox: of a control route, or of the simulated API with a token of its fixture. */
export interface Call {
  /** Method and path; below `/api/` it is one of the simulated API. */
  readonly call: string;
  readonly body?: unknown;
  /** Default: `acme-token`. */
  readonly token?: string;
  /** It is started, and not awaited. */
  readonly left?: true;
}

export const isApi = ({ call }: Call): boolean => call.includes(" /api/");

/** Makes a call, and returns its answer: undefined for one that a fault made unreadable, and for one that is left. */
export async function play(sim: Running, id: string, command: Call): Promise<Answer | undefined> {
  const before = command.left ? arrivals(sim, id) : 0;
  const answer = answerOf(sim, id, command).catch(unreadable);
  if (!command.left) return answer;
  if (isApi(command)) await arrived(sim, id, before);
  return undefined;
}

async function answerOf(sim: Running, id: string, { call, body, token }: Call): Promise<Answer> {
  const [method, path] = call.split(" ");
  return call.includes(" /api/")
    ? sim.api(call, body, { token: `${id}.${token ?? "acme-token"}` })
    : sim.control(`${method} /sandboxes/${id}${path}`, body);
}

/** A fault may close the connection of a call, or break its answer. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
}

/** Waits until a call of the simulated API has come in, if only as one with an unknown token. */
async function arrived(sim: Running, id: string, before: number): Promise<void> {
  while (arrivals(sim, id) === before) await new Promise((resolve) => setImmediate(resolve));
}

const arrivals = (sim: Running, id: string): number =>
  sim.registry.get(id)!.run.logs.journal.mark + sim.registry.default.run.logs.journal.mark;

const control = (call: string, body?: unknown): Call => ({ call, body });
const api = control;

const thread = fc.constantFrom("9001", "9002", "9003", "9005", "none");
const text = fc.constantFrom("Hello", "", "ünï", "x".repeat(300));
const duration = fc.constantFrom("1s", "1m", "1h", "25h");
const snapshot = fc.constantFrom("one", "two");

export const conversation = [
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
];

export const calls = [
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

export const world = [
  fc.constant(control("PATCH /data/customers/cust_001", { firstName: "Changed" })),
  fc.constant(control("POST /data/customers", { organizationId: "200" })),
  fc.constant(control("DELETE /data/webhooks/1")),
  fc.constant(control("PATCH /data/threads/9003", { windowClosesAt: 1_767_260_000_000 })),
  fc.constant(control("PUT /state", { organizations: [{ id: "1", name: "Alone" }] })),
  snapshot.map((name) => control("POST /snapshots", { name })),
  snapshot.map((name) => control(`POST /snapshots/${name}/restore`)),
  duration.map((by) => control("POST /clock/advance", { by })),
  fc.integer({ min: 0, max: 2e12 }).map((now) => control("PUT /clock", { now })),
];

const EFFECTS = [
  { status: 503 },
  { drop: "before" },
  { drop: "after" },
  { malformed: true },
  { delayMs: { min: 1, max: 9 } },
];
export const settings = [
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
      { payload: { eventType: null, undocumented: [1] } },
      { copy: true, payload: { data: null }, signature: "bad" },
      { copy: true },
    )
    .map((then) => control("POST /faults", { on: "delivery", then, times: 2 })),
  fc.constant(control("DELETE /faults")),
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

/** What only the process knows, and what follows real time: it does not outlast the process unchanged. */
const passing = [
  fc.constantFrom("d1", "d2").map((id) => control(`POST /deliveries/${id}/replay`)),
  fc.constantFrom("d1", "d2", "d3").map((id) => control(`POST /deliveries/${id}/release`)),
  fc.boolean().map((frozen) => control("PUT /clock", { frozen })),
  fc.constantFrom("/requests", "/warnings").map((path) => control(`DELETE ${path}`)),
];

const HOURS = 10_000_000;
const inbound = (text: string) => control("POST /threads/9001/inbound", { text });
/** What is under way, for hours if need be, when the reset comes. */
const underWay = fc.constantFrom<Call[]>(
  [control(`PUT /sinks/${SINK}`, { delayMs: 500_000 }), inbound("slow")],
  [control("POST /faults", { on: "delivery", then: { delayMs: HOURS } }), inbound("held")],
  [
    control("POST /faults", { on: "request", times: 1, then: { delayMs: HOURS } }),
    {
      ...api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "late" }),
      left: true,
    },
  ],
  [{ ...control("POST /wait", { for: { requests: { path: "/never" } }, timeoutMs: 20 }), left: true }],
);

/** A list of calls; what would take its time before a reset comes last. */
export const commands = fc
  .tuple(
    fc.array(fc.oneof(...conversation, ...calls, ...world, ...settings, ...passing), {
      minLength: 1,
      maxLength: 20,
    }),
    fc.array(underWay, { maxLength: 2 }),
  )
  .map(([first, last]) => [...first, ...last.flat()]);

/** Everything that can be seen of a sandbox, in a form in which two can be compared. */
import type { Running } from "../support/simulator.js";
import { settled } from "../wire/client.js";

const ROUTES = "/state /clock /behaviour /faults /requests /deliveries /controls /warnings".split(" ");
export const SINK = "demo";

/** A value without what is the sandbox's own name, and without real time. */
export function plain(value: unknown, id: string): unknown {
  const text = JSON.stringify(value, (key, part) => (key === "durationMs" && part !== null ? 0 : part));
  return text === undefined
    ? undefined
    : JSON.parse(text.replaceAll(`${id}.`, "").replaceAll(`/${id}/`, "/"));
}

/** What the routes show of a sandbox, and what only the process knows. */
export async function observe(sim: Running, id: string): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const route of ROUTES) seen[route] = (await sim.control(`GET /sandboxes/${id}${route}`)).body;
  const { start, world, clock, calls, outbox, sinks, faults } = sim.registry.get(id)!.run;
  return plain(
    {
      ...seen,
      seed: start.seed,
      sink: [sinks.get(SINK), ...sinks.received(SINK).from()],
      counters: world.counters,
      timers: clock.pending,
      callsUnderWay: calls.count,
      idle: outbox.idle,
      faults: faults.list(),
    },
    id,
  ) as Record<string, unknown>;
}

type Step = readonly [call: string, body?: unknown];

/** Uses every source of ids, of chance and of time; steps of the simulated API have no `/__sim` in them. */
export const EXERCISE: readonly Step[] = [
  ["POST /threads/9001/inbound", { text: "first" }],
  ["POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "Hi", x: 1 }],
  [
    "POST /api/widget/send-message-to-business",
    { businessId: "1001", message: "Hi", user: { sms: "+1555019" } },
  ],
  ["POST /api/webhooks/", { url: "sink:demo", subscribedEvents: ["transfers"] }],
  ["POST /api/webhooks/", { url: "https://bot.example/", subscribedEvents: ["messages"] }],
  ["POST /threads/9001/transfer", { businessId: "1002" }],
  ["POST /data/customers", { organizationId: "200" }],
  ["POST /deliveries/d1/replay"],
  ["PUT /sinks/demo", { status: 500 }],
  ["PATCH /behaviour", { "delivery.attempts": 2, "delivery.backoff": ["1m"], "window.duration": "1h" }],
  ["POST /threads/9001/inbound", { text: "second" }],
  ["POST /clock/advance", { by: "1m" }],
  ["POST /faults", { on: "request", probability: 0.5, then: { status: 418 } }],
  ...Array.from({ length: 8 }, (): Step => ["GET /api/get-customer-thread-details?customerThreadId=9003"]),
  ["PATCH /behaviour", { "limits.rate": { requests: 3, per: "1h" } }],
  ...Array.from({ length: 5 }, (): Step => ["GET /api/webhooks/"]),
  ["POST /clock/advance", { by: "2h" }],
];

/** Puts a sandbox through its paces: all answers, and what is to be seen of it afterwards. */
export async function exercise(sim: Running, id: string): Promise<unknown> {
  const answers: unknown[] = [];
  for (const [call, body] of EXERCISE) {
    const [method, path = ""] = call.split(" ");
    const answer = path.startsWith("/api/")
      ? await sim.api(call, body, { token: `${id}.acme-token` })
      : await sim.control(`${method} /sandboxes/${id}${path}`, body);
    await settled(sim, `/sandboxes/${id}`);
    answers.push([call, answer.status, answer.headers.get("x-sim-request"), answer.body]);
  }
  return [plain(answers, id), await observe(sim, id)];
}

/** The same calls give the same bytes, and only the seed makes other ids. */
import { expect, it } from "vitest";
import { type Receiver, receiver } from "../delivery/support.js";
import { CALLS } from "../support/calls.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";

type Step = readonly [call: string, body?: unknown, token?: string];
const SEND = "POST /api/send-message-to-customer-thread";

/** The control calls that lead to events, refusals, and every operation of the simulated API. */
const STEPS: readonly Step[] = [
  ["POST /__sim/threads/9001/inbound", { text: "Bonjour — ça va?" }],
  ["POST /__sim/threads/9001/employee-message", { userId: "501", text: "Note", internal: true }],
  ["POST /__sim/threads/9001/transfer", { businessId: "1002" }],
  ["POST /__sim/events", { eventType: "message", data: { messageBody: "given" } }],
  ["POST /__sim/clock/advance", { by: "90s" }],
  ["POST /__sim/data/customers", { organizationId: "200" }],
  ["POST /__sim/deliveries/d1/replay"],
  ["POST /__sim/threads/9001/transfer", { businessId: "1001" }],
  [SEND, { customerThreadId: 9001, text: "Hi", odd: 1 }],
  [SEND, { text: 5, contentSid: [] }],
  ["POST /api/user/delete-by-email", {}, "acme-no-delete"],
  ["POST /graphql", { query: "no-such-query" }],
  ["GET /nowhere"],
  ...Object.values(CALLS).map(({ call, body }): Step => [call, body]),
  ["POST /__sim/faults", { on: "request", probability: 0.5, then: { status: 418 } }],
  ...Array.from({ length: 12 }, (): Step => ["GET /api/webhooks/crm"]),
  ["GET /__sim/state"],
  ["GET /__sim/faults"],
  ["GET /__sim/warnings"],
  ["GET /__sim/threads/9001/transcript?format=md"],
  ["GET /__sim/sinks/demo/received"],
];

interface Bytes {
  /** Status, headers and body of each answer. */
  readonly answers: string[];
  /** Headers and body of all that a receiver got. */
  readonly deliveries: string[];
}

/** One life of a simulator: what came out of it, to the byte. */
async function bytesOf(target: Receiver, seed: number): Promise<Bytes> {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", seed });
  await sim.control("PATCH /data/webhooks/1", { url: target.url });
  const from = target.seen.length;
  const answers: string[] = [];
  for (const step of STEPS) {
    answers.push(await answerTo(sim, step));
    await settled(sim);
  }
  const deliveries = target.seen
    .slice(from)
    .map(({ method, path, headers, text }) => JSON.stringify([method, path, headers, text]));
  return { answers, deliveries };
}

async function answerTo({ url }: Running, [call, body, token = "acme-token"]: Step): Promise<string> {
  const [method, path] = call.split(" ") as [string, string];
  const response = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const headers = [...response.headers].filter(([name]) => name !== "date");
  const text = (await response.text())
    .replaceAll(/"durationMs":[\d.]+/g, '"durationMs":0')
    .replaceAll(new URL(url).host, "");
  return JSON.stringify([call, response.status, headers, text]);
}

/** Without the ids that are drawn: ten hex digits. */
const withoutDrawn = (texts: readonly string[]) =>
  texts.map((text) => text.replaceAll(/[0-9a-f]{10}\b/g, "#"));

it("the same calls give the same bytes again, and with another seed only other drawn ids and chances", async () => {
  const target = await receiver();
  const first = await bytesOf(target, 7);
  expect(await bytesOf(target, 7)).toEqual(first);
  expect(first.deliveries.length).toBeGreaterThan(8);
  const other = await bytesOf(target, 8);
  const chance = STEPS.findIndex(([call]) => call === "POST /__sim/faults");
  const [before, after] = [first, other].map(({ answers }) => answers.slice(0, chance)) as [
    string[],
    string[],
  ];
  expect(after).not.toEqual(before);
  expect(withoutDrawn(after)).toEqual(withoutDrawn(before));
  expect(other.answers.slice(chance)).not.toEqual(first.answers.slice(chance));
  expect(withoutDrawn(other.deliveries)).toEqual(withoutDrawn(first.deliveries));
});

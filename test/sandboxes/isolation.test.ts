import { expect, it } from "vitest";
import { type Receiver, receiver } from "../delivery/support.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";

const WORLDS = 12;
const ROUNDS = 8;
const CLOCK = Date.UTC(2026, 0, 1, 9);

/** Calls in a sandbox of the simulator. */
const callsIn = (sim: Running, id: string) => ({
  control: async (line: string, body?: unknown) =>
    (await sim.control(line.replace(" /", ` /sandboxes/${id}/`), body)).body,
  api: async (line: string, body?: unknown) =>
    (await sim.api(line, body, { token: `${id}.acme-token` })).body,
});

/** Everything that a sandbox does: in each round five calls, with its name in them. */
async function live(sim: Running, id: string, { url }: Receiver): Promise<void> {
  const number = Number(id.slice(1));
  const made = await sim.control("POST /sandboxes", { id, seed: 1, clock: CLOCK });
  expect(made.body.tokens["acme-token"]).toBe(`${id}.acme-token`);
  const { control, api } = callsIn(sim, id);
  await control("PATCH /data/webhooks/1", { url: url.replace("hook", id) });
  await control("PATCH /behaviour", { "limits.textLength": 100 + number });
  await control("POST /faults", { on: "request", after: number, times: 1, then: { status: 418 } });
  await control("DELETE /faults/f1");
  await control("POST /faults", { on: "request", match: { path: `/${id}` }, then: "slow" });
  for (let at = 0; at < ROUNDS; at += 1) {
    const name = `${id}-${at}`;
    await api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: `bot ${name}` });
    await control("POST /threads/9001/inbound", { text: `customer ${name}` });
    await api("POST /api/customers/cust_001/profile/update", { company: name });
    expect((await api("GET /api/customers/cust_001/profile")).company).toBe(name);
    await control("POST /clock/advance", { by: number });
  }
  await settled(sim, `/sandboxes/${id}`);
}

/** Expects that a sandbox sees only what it did; returns the ids that it gave out. */
async function expectOnlyOwn(sim: Running, id: string, { seen }: Receiver): Promise<unknown> {
  const number = Number(id.slice(1));
  const get = (route: string) => callsIn(sim, id).control(`GET ${route}`);
  const texts = Array.from({ length: ROUNDS }, (_, at) => [`bot ${id}-${at}`, `customer ${id}-${at}`]).flat();
  const requests: Record<"id" | "token" | "operation", string>[] = await get("/requests");
  expect(requests.map(({ token }) => token)).toEqual(Array(3 * ROUNDS).fill(`${id}.acme-token`));
  const deliveries = (await get("/deliveries")) as {
    id: string;
    causedBy: string;
    status: string;
    body: { data: { messageBody: string } };
  }[];
  expect(deliveries.map(({ status, body }) => [status, body.data.messageBody])).toEqual(
    texts.map((text) => ["delivered", text]),
  );
  const received = seen.filter(({ path }) => path === `/${id}`);
  expect(received.map(({ text }) => JSON.parse(text).data.messageBody)).toEqual(texts);
  const state: { messages: { id: string; text: string }[]; customers: { company: string }[] } =
    await get("/state");
  expect(state.messages.slice(-2 * ROUNDS).map(({ text }) => text)).toEqual(texts);
  expect(state.customers[0]?.company).toBe(`${id}-${ROUNDS - 1}`);
  expect(await get("/clock")).toEqual({ now: CLOCK + ROUNDS * number, frozen: true });
  expect(await get("/behaviour")).toContainEqual(
    expect.objectContaining({ key: "limits.textLength", value: 100 + number }),
  );
  expect(await get("/faults")).toMatchObject([{ id: "f2", match: { path: `/${id}` }, seen: 0 }]);
  return [
    state.messages.map((message) => message.id),
    requests.map((request) => [request.id, request.operation]),
    deliveries.map((delivery) => [delivery.id, delivery.causedBy]),
  ];
}

it(`${WORLDS} sandboxes that are used at once see only their own, with the same ids`, async () => {
  const sim = await startSimulator({ set: {} });
  const before = (await sim.control("GET /state")).body;
  const target = await receiver();
  const ids = Array.from({ length: WORLDS }, (_, at) => `w${at + 1}`);
  await Promise.all(ids.map((id) => live(sim, id, target)));
  const given: unknown[] = [];
  for (const id of ids) given.push(await expectOnlyOwn(sim, id, target));
  expect(given).toEqual(ids.map(() => given[0]));
  expect((await sim.control("GET /state")).body).toEqual(before);
  for (const route of ["/requests", "/deliveries", "/warnings", "/faults"])
    expect([route, (await sim.control(`GET ${route}`)).body]).toEqual([route, []]);
});

it("the deletion of a sandbox does not affect others", async () => {
  const sim = await startSimulator({ set: {} });
  for (const id of ["w1", "w2"]) {
    await sim.control("POST /sandboxes", { id });
    await sim.control(`PUT /sandboxes/${id}/sinks/demo`, { delayMs: 20 });
    await sim.control(`POST /sandboxes/${id}/threads/9001/inbound`, { text: id });
  }
  await sim.control("DELETE /sandboxes/w1");
  await sim.control("POST /sandboxes", { id: "w1" });
  await settled(sim, "/sandboxes/w2");
  expect((await sim.control("GET /sandboxes/w2/deliveries")).body).toMatchObject([{ status: "delivered" }]);
  expect((await sim.control("GET /sandboxes/w1/deliveries")).body).toEqual([]);
  expect((await sim.control("GET /sandboxes/w1/sinks/demo/received")).body).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";

const WORLDS = 12;
const ROUNDS = 8;
const CLOCK = Date.UTC(2026, 0, 1, 9);

/** A receiver with a path for each sandbox, and what came in there. */
async function receivers(): Promise<{ url: string; texts: Map<string, string[]> }> {
  const texts = new Map<string, string[]>();
  const url = await serverOf(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const name = request.url!.slice(1);
    const { data } = JSON.parse(Buffer.concat(chunks).toString());
    texts.set(name, [...(texts.get(name) ?? []), data.messageBody]);
    response.end();
  });
  return { url, texts };
}

/** What a sandbox does in one round: five calls, each with the sandbox's name in it. */
async function round(sim: Running, id: string, number: number): Promise<void> {
  const token = `${id}.acme-token`;
  const path = `/sandboxes/${id}`;
  const name = `${id}-${number}`;
  const sent = await sim.api(
    "POST /api/send-message-to-customer-thread",
    { customerThreadId: "9001", text: `bot ${name}` },
    { token },
  );
  expect(sent.status).toBe(200);
  await sim.control(`POST ${path}/threads/9001/inbound`, { text: `customer ${name}` });
  await sim.api("POST /api/customers/cust_001/profile/update", { company: name }, { token });
  const profile = await sim.api("GET /api/customers/cust_001/profile", undefined, { token });
  expect(profile.body.company).toBe(name);
  await sim.control(`POST ${path}/clock/advance`, { by: Number(id.slice(1)) });
}

/** All that a sandbox does, from its making on. */
async function live(sim: Running, id: string, url: string): Promise<void> {
  const number = Number(id.slice(1));
  const made = await sim.control("POST /sandboxes", { id, seed: 1, clock: CLOCK });
  expect(made.body.tokens["acme-token"]).toBe(`${id}.acme-token`);
  const path = `/sandboxes/${id}`;
  await sim.control(`PATCH ${path}/data/webhooks/1`, { url: `${url}/${id}` });
  await sim.control(`PATCH ${path}/behaviour`, { "limits.textLength": 100 + number });
  await sim.control(`POST ${path}/faults`, { on: "request", after: number, times: 1, then: { status: 418 } });
  await sim.control(`DELETE ${path}/faults/f1`);
  await sim.control(`POST ${path}/faults`, { on: "request", match: { path: `/${id}` }, then: "slow" });
  for (let at = 0; at < ROUNDS; at += 1) await round(sim, id, at);
  await settled(sim, path);
}

const textsOf = (id: string) =>
  Array.from({ length: ROUNDS }, (_, at) => [`bot ${id}-${at}`, `customer ${id}-${at}`]).flat();

/** The ids that a sandbox gave out, which must be those that any other gives out for the same calls. */
async function idsOf(sim: Running, path: string): Promise<unknown> {
  const { messages } = (await sim.control(`GET ${path}/state`)).body;
  const requests = (await sim.control(`GET ${path}/requests`)).body;
  const deliveries = (await sim.control(`GET ${path}/deliveries`)).body;
  return {
    messages: messages.map(({ id }: { id: string }) => id),
    requests: requests.map(({ id, operation }: Record<string, unknown>) => [id, operation]),
    deliveries: deliveries.map(({ id, causedBy }: Record<string, unknown>) => [id, causedBy]),
  };
}

async function expectOnlyOwn(sim: Running, id: string, texts: Map<string, string[]>): Promise<void> {
  const number = Number(id.slice(1));
  const get = async (route: string) => (await sim.control(`GET /sandboxes/${id}${route}`)).body;
  const requests = await get("/requests");
  expect(requests).toHaveLength(3 * ROUNDS);
  expect(new Set(requests.map(({ token }: { token: string }) => token))).toEqual(
    new Set([`${id}.acme-token`]),
  );
  const deliveries = await get("/deliveries");
  expect(
    deliveries.map(({ body }: { body: { data: { messageBody: string } } }) => body.data.messageBody),
  ).toEqual(textsOf(id));
  expect(deliveries.every(({ status }: { status: string }) => status === "delivered")).toBe(true);
  expect(texts.get(id)).toEqual(textsOf(id));
  const { messages, customers } = await get("/state");
  expect(messages.slice(-2 * ROUNDS).map(({ text }: { text: string }) => text)).toEqual(textsOf(id));
  expect(customers[0].company).toBe(`${id}-${ROUNDS - 1}`);
  expect(await get("/clock")).toEqual({ now: CLOCK + ROUNDS * number, frozen: true });
  const behaviour = await get("/behaviour");
  const length = behaviour.find(({ key }: { key: string }) => key === "limits.textLength");
  expect(length.value).toBe(100 + number);
  expect(await get("/faults")).toMatchObject([{ id: "f2", match: { path: `/${id}` }, seen: 0 }]);
}

describe("sandboxes hammered at once", () => {
  it(`${WORLDS} of them see each only its own`, { timeout: 60_000 }, async () => {
    const sim = await startSimulator({ set: {} });
    const before = (await sim.control("GET /state")).body;
    const { url, texts } = await receivers();
    const ids = Array.from({ length: WORLDS }, (_, at) => `w${at + 1}`);
    await Promise.all(ids.map((id) => live(sim, id, url)));
    const given = await idsOf(sim, `/sandboxes/${ids[0]}`);
    for (const id of ids) {
      await expectOnlyOwn(sim, id, texts);
      expect([id, await idsOf(sim, `/sandboxes/${id}`)]).toEqual([id, given]);
    }
    expect((await sim.control("GET /state")).body).toEqual(before);
    for (const route of ["/requests", "/deliveries", "/warnings", "/faults"])
      expect([route, (await sim.control(`GET ${route}`)).body]).toEqual([route, []]);
  });

  it("the deletion of one does not affect the others", async () => {
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
});

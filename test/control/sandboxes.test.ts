import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const PROFILE = "GET /api/customers/cust_001/profile";
const AT = "2026-01-01T09:00:00Z";
const FIXTURES = {
  organizations: [{ id: "7", name: "Solo" }],
  businesses: [{ id: "8", organizationId: "7", name: "Shop" }],
  users: [{ id: "9", organizationId: "7", email: "a@solo.example", displayName: "A", businessIds: ["8"] }],
  tokens: [{ id: "solo", userId: "9" }],
};

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator({ set: { "window.duration": "1h" } });
});
const create = (options?: object) => sim.control("POST /sandboxes", options);
/** The first name of a customer, for the token of a sandbox. */
const nameFor = async (token: string) => (await sim.api(PROFILE, undefined, { token })).body.firstName;
const rename = (firstName: string, sandbox: string) =>
  sim.control(`PATCH /sandboxes/${sandbox}/data/customers/cust_001`, { firstName });
const inForce = async (id: string, key: string) =>
  (await sim.control(`GET /sandboxes/${id}/behaviour`)).body.find((row: { key: string }) => row.key === key)
    .value;

it("a new sandbox is a copy of the server's start, with tokens of its own", async () => {
  await rename("Changed", "default");
  const tokens = { "acme-token": "one.acme-token", "globex-token": "one.globex-token" };
  const described = { id: "one", url: sim.url, tokens };
  expect(await create({ id: "one" })).toMatchObject({ status: 201, body: described });
  expect(await nameFor("one.acme-token")).toBe("Alan");
  await rename("Mine", "one");
  expect([await nameFor("one.acme-token"), await nameFor("acme-token")]).toEqual(["Mine", "Changed"]);
});

it("a new sandbox has the given fixtures, behaviour, seed and clock", async () => {
  const behaviour = { "timestamps.unit": "s" };
  const made = await create({ id: "given", fixtures: FIXTURES, behaviour, seed: 7, clock: AT });
  expect(made).toMatchObject({ status: 201, body: { tokens: { solo: "given.solo" } } });
  const { body: start } = await sim.control("GET /sandboxes/given/start");
  expect(start).toMatchObject({ seed: 7, clock: Date.parse(AT) });
  expect((await sim.control("GET /sandboxes/given/clock")).body.frozen).toBe(true);
  expect(await inForce("given", "timestamps.unit")).toBe("s");
  expect(await inForce("given", "window.duration")).toBe("1h");
  expect((await sim.control("GET /sandboxes/given/data/organizations")).body).toEqual(FIXTURES.organizations);
});

it("a new sandbox accepts a profile, and a seed as text, and gets a free id", async () => {
  await create({ id: "s1" });
  const { body: first } = await create({ behaviour: "realistic", seed: "monday" });
  const { body: second } = await create({ seed: "monday" });
  expect([first.id, second.id]).toEqual(["s2", "s3"]);
  expect(first.seed).toBe(second.seed);
  expect(await inForce("s2", "window.duration")).toBe("24h");
});

it("PUT creates a sandbox once, and finds default, which has the fixture's own tokens", async () => {
  const put = (id: string) => sim.control(`PUT /sandboxes/${id}`, { seed: 5 });
  const first = await put("mine");
  expect((await create({ id: "mine" })).status).toBe(409);
  await rename("Kept", "mine");
  const second = await put("mine");
  expect([first.status, second.status, second.body.tokens]).toEqual([201, 200, first.body.tokens]);
  expect(await nameFor("mine.acme-token")).toBe("Kept");
  const own = { tokens: { "acme-token": "acme-token" } };
  expect(await put("default")).toMatchObject({ status: 200, body: own });
});

it("sandboxes are listed, oldest first, and are gone after they are deleted", async () => {
  await create({ id: "b" });
  await create({ id: "a" });
  const list = await sim.control("GET /sandboxes");
  expect(idsOf(list)).toEqual(["default", "b", "a"]);
  expect((await sim.control("GET /sandboxes/b")).body.tokens).toEqual(list.body[1].tokens);
  expect(await sim.control("DELETE /sandboxes/b")).toMatchObject({ status: 200, body: { id: "b" } });
  for (const call of ["GET /sandboxes/b", "GET /sandboxes/b/clock", "DELETE /sandboxes/b"])
    expect([call, (await sim.control(call)).status]).toEqual([call, 404]);
  expect((await sim.api(PROFILE, undefined, { token: "b.acme-token" })).status).toBe(401);
  expect((await create({ id: "b" })).status).toBe(201);
});

it("sandboxes free the memory of their fixture when they are deleted", async () => {
  setFlagsFromString("--expose_gc");
  const collectGarbage: () => void = runInNewContext("gc");
  await create({ id: "one", fixtures: FIXTURES });
  const state = new WeakRef(sim.registry.get("one")?.start.state as object);
  await sim.control("DELETE /sandboxes/one");
  await expect.poll(() => [collectGarbage(), state.deref()]).toEqual([undefined, undefined]);
});

it("sandboxes are deleted when their own ttlMs has passed, not by that of an earlier one with the same id", async () => {
  await create({ id: "again", ttlMs: 40 });
  await sim.control("DELETE /sandboxes/again");
  await create({ id: "again" });
  expect((await create({ id: "later", ttlMs: 60 })).status).toBe(201);
  await expect.poll(() => sim.registry.get("later")).toBeUndefined();
  expect(sim.registry.get("again")).toBeDefined();
});

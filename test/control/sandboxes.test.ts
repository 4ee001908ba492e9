import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

const PROFILE = "GET /api/customers/cust_001/profile";
const FIXTURES = {
  organizations: [{ id: "7", name: "Solo" }],
  businesses: [{ id: "8", organizationId: "7", name: "Shop" }],
  users: [{ id: "9", organizationId: "7", email: "a@solo.example", displayName: "A", businessIds: ["8"] }],
  tokens: [{ id: "solo", userId: "9" }],
};

describe("a new sandbox", () => {
  it("is a copy of the server's start, with tokens of its own", async () => {
    const { url, control, api } = await startSimulator();
    await control("PATCH /data/customers/cust_001", { firstName: "Changed" });
    const { status, body } = await control("POST /sandboxes", { id: "one" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: "one",
      url,
      tokens: { "acme-token": "one.acme-token", "globex-token": "one.globex-token" },
      expiresAt: null,
    });
    expect((await api(PROFILE, undefined, { token: "one.acme-token" })).body.firstName).toBe("Alan");
    await control("PATCH /sandboxes/one/data/customers/cust_001", { firstName: "Mine" });
    expect((await api(PROFILE, undefined, { token: "one.acme-token" })).body.firstName).toBe("Mine");
    expect((await api(PROFILE)).body.firstName).toBe("Changed");
  });

  it("has the given fixtures, behaviour, seed and clock", async () => {
    const { control } = await startSimulator({ set: { "window.duration": "1h" } });
    const made = await control("POST /sandboxes", {
      id: "given",
      fixtures: FIXTURES,
      behaviour: { "timestamps.unit": "s" },
      seed: 7,
      clock: "2026-01-01T09:00:00Z",
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      tokens: { solo: "given.solo" },
      seed: 7,
      now: Date.parse("2026-01-01T09:00:00Z"),
      frozen: true,
    });
    const rows: { key: string; value: unknown }[] = (await control("GET /sandboxes/given/behaviour")).body;
    const inForce = (key: string) => rows.find((row) => row.key === key)?.value;
    expect(inForce("timestamps.unit")).toBe("s");
    expect(inForce("window.duration")).toBe("1h");
    expect((await control("GET /sandboxes/given/data/organizations")).body).toEqual(FIXTURES.organizations);
  });

  it("accepts a profile, and a seed as text", async () => {
    const { control } = await startSimulator();
    const first = await control("POST /sandboxes", { behaviour: "realistic", seed: "monday" });
    const second = await control("POST /sandboxes", { seed: "monday" });
    expect(first.body.seed).toBe(second.body.seed);
    expect(first.body.id).not.toBe(second.body.id);
    const { body } = await control(`GET /sandboxes/${first.body.id}/behaviour`);
    expect(body.find((row: { key: string }) => row.key === "window.duration").value).toBe("24h");
  });

  it("gets a free id", async () => {
    const { control } = await startSimulator();
    await control("POST /sandboxes", { id: "s1" });
    const { body } = await control("POST /sandboxes");
    expect(body.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(body.id).not.toBe("s1");
  });
});

describe("PUT", () => {
  it("creates a sandbox once", async () => {
    const { control } = await startSimulator();
    const first = await control("PUT /sandboxes/mine", { seed: 5 });
    expect((await control("POST /sandboxes", { id: "mine" })).status).toBe(409);
    await control("PATCH /sandboxes/mine/data/customers/cust_001", { firstName: "Kept" });
    const second = await control("PUT /sandboxes/mine", { seed: 5 });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body.tokens).toEqual(first.body.tokens);
    expect((await control("GET /sandboxes/mine/data/customers/cust_001")).body.firstName).toBe("Kept");
  });

  it("finds default, which has the fixture's own tokens", async () => {
    const { control } = await startSimulator();
    const { status, body } = await control("PUT /sandboxes/default");
    expect(status).toBe(200);
    expect(body.tokens["acme-token"]).toBe("acme-token");
  });
});

describe("sandboxes", () => {
  it("are listed, oldest first", async () => {
    const { control } = await startSimulator();
    await control("POST /sandboxes", { id: "b" });
    await control("POST /sandboxes", { id: "a" });
    const { body } = await control("GET /sandboxes");
    expect(body.map(({ id }: { id: string }) => id)).toEqual(["default", "b", "a"]);
    expect((await control("GET /sandboxes/b")).body).toMatchObject({ id: "b", tokens: body[1].tokens });
  });

  it("are gone after they are deleted", async () => {
    const { control, api } = await startSimulator();
    await control("POST /sandboxes", { id: "gone" });
    const { status, body } = await control("DELETE /sandboxes/gone");
    expect([status, body]).toEqual([200, { id: "gone" }]);
    expect((await control("GET /sandboxes/gone")).status).toBe(404);
    expect((await control("GET /sandboxes/gone/clock")).status).toBe(404);
    expect((await control("DELETE /sandboxes/gone")).status).toBe(404);
    expect((await api(PROFILE, undefined, { token: "gone.acme-token" })).status).toBe(401);
    expect((await control("POST /sandboxes", { id: "gone" })).status).toBe(201);
  });

  it("free the memory of their fixture when they are deleted", async () => {
    setFlagsFromString("--expose_gc");
    const collectGarbage: () => void = runInNewContext("gc");
    const { control, registry } = await startSimulator();
    const stateOf = async (id: string) => {
      await control("POST /sandboxes", { id, fixtures: FIXTURES });
      return new WeakRef(registry.get(id)?.start.state as object);
    };
    const state = await stateOf("one");
    expect((await stateOf("two")).deref()).toBe(state.deref());
    await control("DELETE /sandboxes/one");
    await control("DELETE /sandboxes/two");
    await expect
      .poll(() => {
        collectGarbage();
        return state.deref();
      })
      .toBeUndefined();
  });

  it("are deleted when their ttlMs has passed", async () => {
    const { control, registry } = await startSimulator();
    const { body } = await control("POST /sandboxes", { id: "brief", ttlMs: 1 });
    expect(body.expiresAt).toEqual(expect.any(Number));
    await expect.poll(() => registry.get("brief")).toBeUndefined();
  });

  it("are not deleted by the ttlMs of an earlier one with the same id", async () => {
    const { control, registry } = await startSimulator();
    await control("POST /sandboxes", { id: "again", ttlMs: 40 });
    await control("DELETE /sandboxes/again");
    await control("POST /sandboxes", { id: "again" });
    await control("POST /sandboxes", { id: "later", ttlMs: 60 });
    await expect.poll(() => registry.get("later")).toBeUndefined();
    expect(registry.get("again")).toBeDefined();
  });

  it("cannot be deleted if they are `default`", async () => {
    const { control } = await startSimulator();
    expect((await control("DELETE /sandboxes/default")).status).toBe(409);
    expect((await control("GET /sandboxes/default/clock")).status).toBe(200);
  });
});

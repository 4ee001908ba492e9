import { expect, it } from "vitest";
import { UnusableDocument } from "../../src/kernel/problems.js";
import { type Running, startSimulator } from "../support/simulator.js";

const world = (id: string) => ({
  organizations: [{ id, name: `Organization ${id}` }],
});

const organizationsOf = async ({ control }: Running) =>
  (await control("GET /state")).body.organizations.map(({ id }: { id: string }) => id);

it("a reload replaces what is named and leaves the rest", async () => {
  const start = {
    fixtures: world("1"),
    behaviour: { "limits.webhooks": 3 },
    set: { "limits.textLength": 9 },
  };
  const sim = await startSimulator(start);
  const limits = async () => {
    const rows: { key: string; value: unknown }[] = (await sim.control("GET /behaviour")).body;
    return rows.filter(({ key }) => /webhooks$|textLength$/.test(key)).map(({ value }) => value);
  };
  await sim.control("PUT /clock", { now: "2026-01-01T00:00:00Z", frozen: true });
  expect(await sim.reload({ behaviour: { "limits.webhooks": 4 } })).toEqual(["behaviour"]);
  expect(await limits()).toEqual([9, 4]);
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  const faults = [{ on: "request", then: "unavailable" }] as const;
  const set = { "limits.textLength": 8 };
  const more = await sim.reload({ faults, fixtures: world("2"), set });
  expect(more).toEqual(["fixtures", "behaviour", "faults"]);
  expect(await organizationsOf(sim)).toEqual(["2"]);
  expect((await sim.control("GET /faults")).body).toMatchObject([{ on: "request" }]);
  expect(await limits()).toEqual([8, 4]);
});

it("a reload resets nothing if nothing changed", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.control("PUT /state", world("2"));
  expect(await sim.reload({ behaviour: "documented", set: {}, faults: [] })).toEqual([]);
  expect(await sim.reload({})).toEqual([]);
  expect(await organizationsOf(sim)).toEqual(["2"]);
});

it("a reload changes nothing if a part is unusable", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.control("PUT /state", world("2"));
  const refused = async (options: object): Promise<string> => {
    const error = await sim.reload(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnusableDocument);
    return (error as Error).message;
  };
  expect(await refused({ fixtures: { organizations: [{ id: "x" }] } })).toContain("organizations[0].");
  expect(await refused({ fixtures: world("3"), set: { "limits.webhoks": 1 } })).toContain("limits.webhoks");
  expect(await refused({ faults: [{ on: "nothing" }] })).toMatch(/^faults\[0\]/);
  expect(await refused({ port: 1 })).toMatch(/^port: unknown option "port"/);
  expect(await organizationsOf(sim)).toEqual(["2"]);
  await sim.control("POST /reset");
  expect(await organizationsOf(sim)).toEqual(["1"]);
});

it("a reload does nothing once the simulator has ended", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.close();
  expect(await sim.reload({ fixtures: world("2") })).toEqual([]);
});

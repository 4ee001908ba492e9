import { expect, it } from "vitest";
import { UnusableDocument } from "../../src/kernel/problems.js";
import { type Running, startSimulator } from "../support/simulator.js";

const world = (id: string) => ({
  organizations: [{ id, name: `Organization ${id}` }],
});

const organizationsOf = async ({ control }: Running) =>
  (await control("GET /state")).body.organizations.map(({ id }: { id: string }) => id);

it("a reload replaces the fixture if it is given, and the behaviour as a whole", async () => {
  const set = { "limits.textLength": 9 };
  const sim = await startSimulator({ fixtures: world("1"), behaviour: { "limits.webhooks": 3 }, set });
  const limits = async () => {
    const rows: { key: string; value: unknown }[] = (await sim.control("GET /behaviour")).body;
    return rows.filter(({ key }) => /webhooks$|textLength$/.test(key)).map(({ value }) => value);
  };
  await sim.control("PUT /clock", { now: "2026-01-01T00:00:00Z", frozen: true });
  expect(await sim.reload({ behaviour: { "limits.webhooks": 4 }, set })).toEqual(["behaviour"]);
  expect(await limits()).toEqual([9, 4]);
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  expect(await organizationsOf(sim)).toEqual(["1"]);
  expect(await sim.reload({ fixtures: world("2"), set })).toEqual(["fixtures", "behaviour"]);
  expect(await organizationsOf(sim)).toEqual(["2"]);
  expect(await limits()).toEqual([9, null]);
});

it("a reload takes the addresses that a start takes under the same behaviour", async () => {
  const customer = { id: "c", organizationId: "1", emailAddress: "an a@acme.example" };
  const fixtures = { ...world("1"), customers: [customer] };
  const set = { "widget.emailFormat": "schema-inspector" } as const;
  const sim = await startSimulator({ fixtures, set });
  expect(await sim.reload({ fixtures, set })).toEqual(["fixtures"]);
  await expect(sim.reload({ fixtures })).rejects.toThrow("customers[0].emailAddress");
});

it("a reload resets nothing if nothing changed", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.control("PUT /state", world("2"));
  expect(await sim.reload({ behaviour: "documented", set: {} })).toEqual([]);
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
  expect(await organizationsOf(sim)).toEqual(["2"]);
  await sim.control("POST /reset");
  expect(await organizationsOf(sim)).toEqual(["1"]);
});

it("a reload does nothing once the simulator has ended", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.close();
  expect(await sim.reload({ fixtures: world("2") })).toEqual([]);
});

import { expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";

const world = (id: string) => ({
  organizations: [{ id, name: `Organization ${id}` }],
});

const organizationsOf = async ({ control }: Running) =>
  (await control("GET /state")).body.organizations.map(({ id }: { id: string }) => id);

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

it("a reload does nothing once the simulator has ended", async () => {
  const sim = await startSimulator({ fixtures: world("1") });
  await sim.close();
  expect(await sim.reload({ fixtures: world("2") })).toEqual([]);
});

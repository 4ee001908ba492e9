import { expect, it } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/server/simulator.js";
import { startSimulator } from "../support/simulator.js";

it.each<[Record<string, unknown>, string]>([
  [{ behavior: "realistic" }, 'behavior: unknown option "behavior": did you mean "behaviour"?'],
  [{ fixture: {}, port: 0 }, 'fixture: unknown option "fixture": did you mean "fixtures"?'],
  [{ behaviour: "realstic" }, 'did you mean "realistic"?'],
  [{ behaviour: "toString" }, 'behaviour: "toString" is not one of the profiles documented, realistic'],
  [{ behaviour: { "window.duraton": "24h" } }, 'did you mean "window.duration"?'],
  [{ set: { "window.duraton": "24h" } }, 'did you mean "window.duration"?'],
  [{ faults: [{ on: "reqest", then: { status: 503 } }] }, "faults[0].on: "],
])("createSimulator refuses %j", async (options, message) => {
  await expect(createSimulator(options as SimulatorOptions)).rejects.toThrow(message);
});

it("null means the value `null` of a behaviour key, wherever it comes from", async () => {
  const nulls = { "profile.emptyFields": null } as unknown as SimulatorOptions["set"] & object;
  const read = "GET /api/customers/cust_002/profile";
  for (const options of [{ set: nulls }, { behaviour: nulls }]) {
    const { api } = await startSimulator(options);
    expect((await api(read)).body.company).toBeNull();
  }
  const { control } = await startSimulator();
  const steps = [{ request: read, token: "acme-token", expect: { body: { company: null } } }];
  const { body } = await control("POST /scenarios/run", { scenario: { behaviour: nulls, steps } });
  expect(body).toMatchObject({ ok: true });
});

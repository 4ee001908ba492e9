import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { startSimulator } from "../support/simulator.js";

it("faults accept payloads up to the limit, are limited in number, and can be removed all at once", async () => {
  const { control, registry } = await startSimulator();
  const nested = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
  const then = { payload: { ...nested, text: "x".repeat(60_000) } };
  const added = await control("POST /faults", { on: "delivery", then });
  expect(added).toMatchObject({ status: 201, body: { id: "f1", then, seen: 0, fired: 0 } });
  const { faults } = registry.default.run;
  while (faults.list().length < BOUNDS.faults.limit) faults.add({ on: "delivery", then: "slow" });
  expect((await control("POST /faults", { on: "request", then: "slow" })).status).toBe(409);
  expect((await control("DELETE /faults/f1")).body).toMatchObject({ id: "f1", then });
  expect((await control("DELETE /faults")).body).toEqual({ cleared: BOUNDS.faults.limit - 1 });
  expect((await control("GET /faults")).body).toEqual([]);
});

it("the regular expressions of all faults are bounded together, since every call may be compared with all of them", async () => {
  const { control } = await startSimulator();
  const add = (times: number) =>
    control("POST /faults", {
      on: "request",
      match: { body: { text: { $regex: `a{${times}}` } } },
      then: "slow",
    });
  expect([(await add(600)).status, (await add(200)).status]).toEqual([201, 201]);
  expect(await add(200)).toMatchObject({
    status: 400,
    body: { error: { details: [{ path: "match", message: expect.stringContaining("1000") }] } },
  });
  expect((await control("GET /faults")).body).toHaveLength(2);
});

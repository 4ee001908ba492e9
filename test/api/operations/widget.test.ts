import { expect, it } from "vitest";
import { begin } from "../../conformance/support.js";
import { startSimulator } from "../../support/simulator.js";

it("the widget route stores addresses that only schema-inspector accepts, which every state then accepts", async () => {
  const set = { "widget.emailFormat": "schema-inspector" } as const;
  const sim = await startSimulator({ set });
  const { control } = sim;
  const odd = "i d@x.example";
  for (const email of [odd, "ida@x.example"]) expect((await begin(sim, { email })).status).toBe(200);
  const { body: state } = await control("GET /state");
  const { id } = state.customers.find(({ emailAddress }: { emailAddress: string }) => emailAddress === odd);
  expect((await control(`PATCH /data/customers/${id}`, { firstName: "Ida" })).status).toBe(200);
  expect((await control(`PATCH /data/customers/${id}`, { emailAddress: "nobody" })).status).toBe(400);
  for (const [line, body] of [
    ["PUT /state", state],
    ["POST /reset", { fixtures: state }],
    ["POST /sandboxes", { id: "s1", fixtures: state }],
  ] as const) {
    expect([line, (await control(line, body)).status < 300]).toEqual([line, true]);
    expect((await control("GET /state")).body).toEqual(state);
  }

  const other = await startSimulator({ fixtures: state, set });
  expect((await other.control("GET /state")).body).toEqual(state);
  await other.control("PATCH /behaviour", { "widget.emailFormat": "valid" });
  expect((await other.control("PUT /state", state)).status).toBe(200);
  expect((await other.control("PATCH /data/customers/cust_001", { emailAddress: odd })).status).toBe(400);

  const usual = await startSimulator();
  const fixtures = { ...state, webhooks: [] };
  for (const behaviour of [undefined, set, undefined]) {
    const { status, body } = await usual.control("POST /sandboxes", { fixtures, behaviour });
    const refusal = [{ path: expect.stringContaining("emailAddress") }];
    expect([status, body.error?.details]).toMatchObject(behaviour ? [201, undefined] : [400, refusal]);
  }
  await expect(startSimulator({ fixtures: state })).rejects.toThrow("emailAddress");
});

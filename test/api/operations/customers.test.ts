import { expect, it } from "vitest";
import { PROFILE, UPDATE_PROFILE } from "../../conformance/support.js";
import { openSandbox } from "../../support/simulator.js";

it("a profile has every field with its type where nothing is known", async () => {
  const { api } = await openSandbox({
    fixtures: {
      organizations: [{ id: "1", name: "One" }],
      users: [{ id: "2", organizationId: "1", email: "a@b.example", displayName: "A", businessIds: [] }],
      tokens: [{ id: "t", userId: "2" }],
      customers: [{ id: "c", organizationId: "1" }],
    },
  });
  const { body } = await api("GET /api/customers/c/profile", undefined, { token: "t" });
  expect(Object.values(body)).toEqual(["c", "", true, ...Array(8).fill(""), [], {}]);
});

it.each(["__proto__", "%00", "a%2Fb"])("there is no customer %s", async (id) => {
  const { api } = await openSandbox();
  const { status, body } = await api(`GET /api/customers/${id}/profile`);
  expect([status, body]).toEqual([404, { error: "Customer not found" }]);
});

it("an update cannot reach a field that is not updatable", async () => {
  const { api } = await openSandbox();
  const before = (await api(PROFILE)).body;
  const sent =
    '{ "id": "x", "emailAddress": "x@y.example", "__proto__": { "company": "Evil" }, "constructor": 1 }';
  expect((await api(UPDATE_PROFILE, sent)).status).toBe(200);
  expect((await api(PROFILE)).body).toEqual(before);
});

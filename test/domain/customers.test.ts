import { describe, expect, it } from "vitest";
import type { ProfileUpdate } from "../../src/domain/customers.js";
import { updateProfile } from "../../src/domain/customers.js";
import { ana, customer, worldWith } from "./records.js";
import { run } from "./run.js";

const known = customer({
  id: "c1",
  firstName: "Alan",
  lastName: "Johnson",
  company: "Initech",
  locale: "fr",
});
const update = (fields: object, customerId = "c1") =>
  run(
    updateProfile,
    { caller: ana, customerId, update: fields as ProfileUpdate },
    { world: worldWith({ customers: [known, customer({ id: "c2", organizationId: "2" })] }) },
  );

describe("a profile update", () => {
  it.each([
    [{ firstName: "Al" }, { firstName: "Al" }],
    [{ lastName: "Jones" }, { lastName: "Jones" }],
    [{ company: "Initrode" }, { company: "Initrode" }],
    [
      { firstName: "Al", lastName: "", company: undefined },
      { firstName: "Al", lastName: "" },
    ],
    [{}, {}],
    [{ id: "c9", emailAddress: "x@y.example", organizationId: "2", locale: "de" }, {}],
  ])("of %j changes %j", (fields, changed) => {
    expect(update(fields)).toStrictEqual({
      result: { ...known, ...changed },
      changes: { "customers c1": changed },
    });
  });

  it.each(["c2", "c9"])("of %s is refused", (customerId) => {
    const scope = { customerId };
    expect(update({ company: "Initrode" }, customerId)).toStrictEqual({
      refusal: { key: "profile.notFound", scope },
    });
  });
});

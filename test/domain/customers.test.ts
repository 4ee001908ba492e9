import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import type { ProfileUpdate } from "../../src/service/domain/people.js";
import { updateProfile } from "../../src/service/domain/people.js";
import type { Customer } from "../../src/service/world/records.js";
import { ana, customer, worldWith } from "./records.js";
import { run } from "./run.js";

const known = customer({
  id: "c1",
  firstName: "Alan",
  lastName: "Johnson",
  company: "Initech",
  locale: "fr",
});
const update = (
  fields: object,
  customerId = "c1",
  behaviour: Partial<BehaviourValues> = {},
  held: Customer = known,
) =>
  run(
    updateProfile,
    { caller: ana, customerId, update: fields as ProfileUpdate },
    { world: worldWith({ customers: [held, customer({ id: "c2", organizationId: "2" })] }), behaviour },
  );

describe("a profile update", () => {
  it.each([
    ["update", true, true],
    ["update", null, true],
    ["update", false, true],
    ["refuse", true, true],
    ["refuse", null, true],
    ["refuse", false, false],
  ] as const)("with the profile.notEditable %s of a customer who is editable %j: %s", (...row) => {
    const [notEditable, editable, taken] = row;
    const held = { ...known, editable };
    const changed = { company: "Initrode" };
    expect(update(changed, "c1", { "profile.notEditable": notEditable }, held)).toStrictEqual(
      taken
        ? { result: { ...held, ...changed }, changes: { "customers c1": changed } }
        : { refusal: { key: "profile.notEditableError", scope: { customerId: "c1" } } },
    );
  });
});

describe("the names of a profile", () => {
  it.each([
    ["keep", { firstName: "Al" }, {}],
    ["derive", { firstName: "Al" }, { displayName: "Al Johnson" }],
    ["derive", { lastName: "Jones" }, { displayName: "Alan Jones" }],
    ["derive", { firstName: "", lastName: "Jones" }, { displayName: "Jones" }],
    ["derive", { company: "Initrode" }, {}],
  ] as const)("with the profile.displayName %s: %j also changes %j", (displayName, fields, also) => {
    const outcome = update(fields, "c1", { "profile.displayName": displayName });
    expect(outcome.changes).toStrictEqual({ "customers c1": { ...fields, ...also } });
  });

  it("leave out an unknown one", () => {
    const held = { ...known, lastName: null };
    const outcome = update({ firstName: "Al" }, "c1", { "profile.displayName": "derive" }, held);
    expect(outcome.result?.displayName).toBe("Al");
  });
});

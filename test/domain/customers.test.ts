import { expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import type { ProfileUpdate } from "../../src/service/domain/people.js";
import { updateProfile } from "../../src/service/domain/people.js";
import type { Customer } from "../../src/service/world/records.js";
import { ana, customer, worldWith } from "./records.js";
import { run } from "./run.js";

const known = customer({ id: "c1", firstName: "Alan", lastName: "Johnson", company: "Initech" });
const update = (fields: object, behaviour: Partial<BehaviourValues>, held: Customer = known) =>
  run(
    updateProfile,
    { caller: ana, customerId: "c1", update: fields as ProfileUpdate },
    { world: worldWith({ customers: [held] }), behaviour },
  );

it.each([
  ["update", false, true],
  ["refuse", true, true],
  ["refuse", null, true],
  ["refuse", false, false],
] as const)("with the profile.notEditable %s, a customer who is editable %j is changed: %s", (...row) => {
  const [notEditable, editable, taken] = row;
  const held = { ...known, editable };
  const changed = { company: "Initrode" };
  expect(update(changed, { "profile.notEditable": notEditable }, held)).toStrictEqual(
    taken
      ? { result: { ...held, ...changed }, changes: { "customers c1": changed } }
      : { refusal: { key: "profile.notEditableError", scope: { customerId: "c1" } } },
  );
});

it.each([
  ["keep", { firstName: "Al" }, {}],
  ["derive", { firstName: "Al" }, { displayName: "Al Johnson" }],
  ["derive", { lastName: "Jones" }, { displayName: "Alan Jones" }],
  ["derive", { firstName: "", lastName: "Jones" }, { displayName: "Jones" }],
  ["derive", { company: "Initrode" }, {}],
] as const)("with the profile.displayName %s, %j also changes %j", (displayName, fields, also) => {
  const { changes } = update(fields, { "profile.displayName": displayName });
  expect(changes).toStrictEqual({ "customers c1": { ...fields, ...also } });
});

it("a derived name leaves out an unknown one", () => {
  const held = { ...known, lastName: null };
  const { result } = update({ firstName: "Al" }, { "profile.displayName": "derive" }, held);
  expect(result?.displayName).toBe("Al");
});

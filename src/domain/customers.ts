/** Customer profiles (specification: "Get customer profile", "Update customer profile"). */
import { given } from "../kernel/given.js";
import type { Customer } from "../world/records.js";
import type { Caller } from "./access.js";
import { customerFor } from "./access.js";
import { Refusal } from "./refusal.js";
import type { Rule } from "./transaction.js";

export interface ProfileUpdate {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
}

/** Changes the fields that are given, and no others. `profile.notEditable` says whether `editable` forbids it. */
export const updateProfile: Rule<{ caller: Caller; customerId: string; update: ProfileUpdate }, Customer> = (
  tx,
  { caller, customerId, update },
) => {
  const customer = customerFor(tx, caller, customerId);
  if (customer.editable === false && tx.behaviour["profile.notEditable"] === "refuse")
    throw new Refusal("profile.notEditableError", { customerId });
  const { firstName, lastName, company } = update;
  return tx.put("customers", { ...customer, ...given({ firstName, lastName, company }) });
};

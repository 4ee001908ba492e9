/** Customer profiles (specification: "Get customer profile", "Update customer profile"). */
import { given } from "../kernel/given.js";
import type { Customer } from "../world/records.js";
import type { Caller } from "./access.js";
import { customerFor } from "./access.js";
import type { Rule } from "./transaction.js";

export interface ProfileUpdate {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
}

/** Changes the fields that are given, and no others. */
export const updateProfile: Rule<{ caller: Caller; customerId: string; update: ProfileUpdate }, Customer> = (
  tx,
  { caller, customerId, update },
) => {
  const customer = customerFor(tx, caller, customerId);
  const { firstName, lastName, company } = update;
  return tx.put("customers", { ...customer, ...given({ firstName, lastName, company }) });
};

/** Customer profiles (specification: "Get customer profile", "Update customer profile"). */
import type { Customer } from "../world/records.js";
import type { Caller } from "./access.js";
import { customerFor } from "./access.js";
import type { Rule } from "./transaction.js";

export const UPDATABLE_FIELDS = ["firstName", "lastName", "company"] as const;
export type ProfileUpdate = { readonly [F in (typeof UPDATABLE_FIELDS)[number]]?: string | undefined };

/** Changes the fields that are given, and no others. */
export const updateProfile: Rule<{ caller: Caller; customerId: string; update: ProfileUpdate }, Customer> = (
  tx,
  { caller, customerId, update },
) => {
  const customer = customerFor(tx, caller, customerId);
  const given = UPDATABLE_FIELDS.filter((field) => update[field] !== undefined).map((field) => [
    field,
    update[field],
  ]);
  return tx.put("customers", { ...customer, ...Object.fromEntries(given) });
};

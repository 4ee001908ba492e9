/** Customer profiles (specification: "Get customer profile", "Update customer profile"). */
import { omitUndefined } from "../../kernel/objects.js";
import type { Customer } from "../world/records.js";
import type { Caller } from "./access.js";
import { customerFor } from "./access.js";
import { Refusal } from "./refusals.js";
import type { Rule } from "./transaction.js";

export interface ProfileUpdate {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
}

/**
 * Changes the given fields, and otherwise only a derived `displayName` (`profile.displayName`). `profile.notEditable` says
 * whether `editable` prevents it.
 */
export const updateProfile: Rule<{ caller: Caller; customerId: string; update: ProfileUpdate }, Customer> = (
  tx,
  { caller, customerId, update },
) => {
  const customer = customerFor(tx, caller, customerId);
  if (customer.editable === false && tx.behaviour["profile.notEditable"] === "refuse")
    throw new Refusal("profile.notEditableError", { customerId });
  const stored = (value: string | undefined) =>
    value === "" && tx.behaviour["profile.emptyUpdate"] === "ignore" ? undefined : value;
  const firstName = stored(update.firstName);
  const lastName = stored(update.lastName);
  const updated = { ...customer, ...omitUndefined({ firstName, lastName, company: stored(update.company) }) };
  const isRenamed = firstName !== undefined || lastName !== undefined;
  if (!isRenamed || tx.behaviour["profile.displayName"] === "keep") return tx.put("customers", updated);
  const names = [updated.firstName, updated.lastName].filter((name) => name !== null && name !== "");
  return tx.put("customers", { ...updated, displayName: names.join(" ") });
};

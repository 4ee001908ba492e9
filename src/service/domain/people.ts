/** Customer profiles and users (specification: "Get customer profile", "Update customer profile", "Delete user by email"). */
import { omitUndefined } from "../../kernel/objects.js";
import { keyOf } from "../world/indexes.js";
import type { Customer, User } from "../world/records.js";
import { type Caller, customerFor } from "./access.js";
import { Refusal } from "./refusals.js";
import type { Rule, WorldView } from "./transaction.js";

interface ProfileUpdate {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
}

/** Changes the given fields, and a derived `displayName` (`profile.displayName`). */
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

/** Deletes a user of the caller's organization, with their tokens and their places in escalation pools; messages stay. */
export const deleteUserByEmail: Rule<{ caller: Caller; email: string }, User> = (tx, { caller, email }) => {
  const [user] = tx.find("usersByEmail", keyOf(caller.organizationId, email.toLowerCase()));
  const exact = tx.behaviour["users.emailMatch"] === "exact";
  if (user === undefined) throw new Refusal("users.notFound");
  if (exact && user.email !== email) throw new Refusal("users.notFound", {}, "users.emailMatch");
  if (user.id === caller.user.id && tx.behaviour["users.deleteSelf"] === "refuse")
    throw new Refusal("users.deleteSelfError", {}, "users.deleteSelf");
  if (user.contactable && user.businessIds.some((businessId) => isLastRepresentative(tx, user, businessId))) {
    throw new Refusal("users.lastRepresentative");
  }
  const pools = [...tx.find("businessesByPoolMember", user.id)];
  const emptied = pools
    .filter((business) => business.escalationPool.length === 1)
    .sort((a, b) => Number(a.id) - Number(b.id))[0];
  if (emptied !== undefined) throw new Refusal("users.lastInPool", { businessId: emptied.id });
  for (const token of tx.find("tokensByUser", user.id)) tx.remove("tokens", token.id);
  for (const business of pools) {
    tx.put("businesses", {
      ...business,
      escalationPool: business.escalationPool.filter((id) => id !== user.id),
    });
  }
  tx.remove("users", user.id);
  return user;
};

const isLastRepresentative = (view: WorldView, { id }: User, businessId: string): boolean =>
  [...view.find("usersByBusiness", businessId)].every((other) => other.id === id || !other.contactable);

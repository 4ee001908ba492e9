/** The state that a run left, as facts that two runs can be compared by. */
import type { DeliveryRecord, FixtureDocument, Message } from "../../client/types.js";

/** A state in counts and values by name: `thread 9001: messages by the business`. */
export type RunFacts = ReadonlyMap<string, number | string>;

/** The state that a run left. @param offset what the run added to the ids of threads */
export function factsOf(
  state: FixtureDocument,
  deliveries: readonly DeliveryRecord[],
  offset: number,
): RunFacts {
  const facts = new Map<string, number | string>();
  const count = (name: string) => facts.set(name, Number(facts.get(name) ?? 0) + 1);
  const nameOf = (id: string) =>
    `thread ${offset > 0 && Number(id) > offset ? String(Number(id) - offset) : id}`;
  for (const { id, status, businessId } of state.threads) {
    facts.set(`${nameOf(id)}: status`, status);
    facts.set(`${nameOf(id)}: business`, businessId);
  }
  for (const message of state.messages) count(`${nameOf(message.threadId)}: ${kindOf(message as Message)}`);
  for (const { id, ...customer } of state.customers)
    for (const [field, value] of Object.entries(customer))
      facts.set(`customer ${id}: ${field}`, JSON.stringify(value));
  for (const { id } of state.users) facts.set(`user ${id}`, "there");
  for (const { organizationId } of state.webhooks) count(`webhooks of organization ${organizationId}`);
  for (const { status } of deliveries) if (status === "failed") count("deliveries that failed");
  return facts;
}

function kindOf({ fromCustomer, contentSid, invisible }: Message): string {
  if (fromCustomer) return "messages by the customer";
  if (invisible) return "internal messages";
  return contentSid === null ? "messages by the business" : "templates by the business";
}

/** How a run differs from the unchanged one. */
export const differencesOf = (expected: RunFacts, seen: RunFacts) =>
  [...new Set([...expected.keys(), ...seen.keys()])]
    .map((what) => ({ what, expected: expected.get(what) ?? null, seen: seen.get(what) ?? null }))
    .filter((one) => one.expected !== one.seen);

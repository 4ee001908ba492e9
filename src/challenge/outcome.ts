/** What a run leaves behind, without ids, times and words: two runs of a conversation can be compared by it. */
import type { DeliveryRecord, FixtureDocument, Message } from "../client/types.js";

/** What was counted, by name: `thread 9001: messages by the business`. */
export type Outcome = ReadonlyMap<string, number | string>;

/** How the count of these is called. */
export const FAILED = "deliveries that failed";

const kindOf = ({ fromCustomer, contentSid, invisible }: Message): string =>
  fromCustomer
    ? "messages by the customer"
    : invisible
      ? "internal messages"
      : contentSid === null
        ? "messages by the business"
        : "templates by the business";

/** Names that stay the same where ids do not: those of the unchanged fixture, and numbers for what came after. */
function namesOf(ids: readonly string[], offset: number): Map<string, string> {
  return new Map(ids.map((id) => [id, offset > 0 && Number(id) > offset ? String(Number(id) - offset) : id]));
}

/** @param offset what was added to the ids of threads */
export function outcomeOf(
  state: FixtureDocument,
  deliveries: readonly DeliveryRecord[],
  offset: number,
): Outcome {
  const outcome = new Map<string, number | string>();
  const count = (name: string) => outcome.set(name, Number(outcome.get(name) ?? 0) + 1);
  const threads = state.threads ?? [];
  const names = namesOf(
    threads.map(({ id }) => id),
    offset,
  );
  for (const { id, status, businessId } of threads) {
    outcome.set(`thread ${names.get(id)}: status`, status);
    outcome.set(`thread ${names.get(id)}: business`, businessId);
  }
  for (const message of state.messages ?? [])
    count(`thread ${names.get(message.threadId)}: ${kindOf(message as Message)}`);
  for (const { id, ...customer } of state.customers ?? [])
    outcome.set(`customer ${id}`, JSON.stringify(customer));
  for (const { status } of deliveries) if (status === "failed") count(FAILED);
  for (const { id } of state.users ?? []) outcome.set(`user ${id}`, "there");
  for (const { organizationId } of state.webhooks ?? []) count(`webhooks of organization ${organizationId}`);
  return outcome;
}

/** Where a run left something else behind than the unchanged one. */
export interface OutcomeDifference {
  readonly what: string;
  readonly expected: number | string | null;
  readonly seen: number | string | null;
}

export function outcomeDifferences(expected: Outcome, seen: Outcome): OutcomeDifference[] {
  const names = [...new Set([...expected.keys(), ...seen.keys()])];
  return names
    .map((what) => ({ what, expected: expected.get(what) ?? null, seen: seen.get(what) ?? null }))
    .filter((difference) => difference.expected !== difference.seen);
}

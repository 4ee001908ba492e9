import type { Turn } from "./turns";

/** So many messages in a row, none of the customer among them, are seldom meant. */
const MANY = 5;

/**
 * How many messages the API has written since the customer wrote last, where they are so many that a bot may be answering its
 * own: each comes back to it as an event.
 */
export function selfAnswers(turn: Turn | undefined): number | undefined {
  let count = 0;
  for (const step of turn?.steps ?? []) {
    if (step.kind !== "message") continue;
    if (step.message.fromCustomer) count = 0;
    else if (step.origin === "api") count += 1;
  }
  return count < MANY ? undefined : count;
}

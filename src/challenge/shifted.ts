/** Conversations and messages with greater ids: in the state of a sandbox, and in what a scenario says of it. */
import type { FixtureDocument } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import type { Scenario } from "../scenarios/read.js";
import type { ParsedStep } from "../scenarios/step.js";

const plus = (id: string, offset: number): string => String(Number(id) + offset);

/** @param firstId is added to the ids of messages too */
export const shiftedState = (state: FixtureDocument, offset: number, firstId: number): FixtureDocument => ({
  ...state,
  threads: state.threads.map((thread) => ({ ...thread, id: plus(thread.id, offset) })),
  messages: state.messages.map((message) => ({
    ...message,
    id: plus(message.id, offset + firstId),
    threadId: plus(message.threadId, offset),
  })),
});

/** The scenario about the same threads: their ids, wherever they stand as a whole value or in a query. */
export function shiftedScenario(scenario: Scenario, { threads }: FixtureDocument, offset: number): Scenario {
  const ids = new Map(threads.map(({ id }) => [id, plus(id, offset)]));
  const shifted = (value: unknown): unknown => {
    if (typeof value === "string")
      return (
        ids.get(value) ??
        value.replace(/\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g, (whole, before, id) => {
          const other = ids.get(id);
          return other === undefined ? whole : before + other;
        })
      );
    if (typeof value === "number") return ids.has(String(value)) ? Number(ids.get(String(value))) : value;
    if (Array.isArray(value)) return value.map(shifted);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shifted(item)]));
  };
  const step = (each: ParsedStep): ParsedStep => ({
    ...each,
    input: shifted(each.input) as ParsedStep["input"],
    ...(each.steps && { steps: each.steps.map(step) }),
  });
  return {
    ...scenario,
    ...(scenario.thread !== undefined && { thread: ids.get(scenario.thread) ?? scenario.thread }),
    steps: scenario.steps.map(step),
  };
}

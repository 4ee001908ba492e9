/** The state that a run begins with and the scenario, as a change makes them. */
import type { FixtureDocument } from "../client/types.js";
import type { Duration } from "../kernel/duration.js";
import { isObject } from "../kernel/json.js";
import type { Scenario } from "../scenarios/read.js";
import type { ParsedStep } from "../scenarios/step.js";
import { waitMs } from "../scenarios/step.js";
import type { Change } from "./change.js";
import { otherTemplates } from "./templates.js";

/** A state, and the new ids of its threads and templates. */
interface Renamed {
  readonly state: FixtureDocument;
  readonly ids: ReadonlyMap<string, string>;
}

const plus = (id: string, offset: number): string => String(Number(id) + offset);

/** The state as a change makes it. */
export function changedState(state: FixtureDocument, { offset, templates }: Change): Renamed {
  if (templates !== undefined) return otherTemplates(state, templates.are);
  return {
    state: {
      ...state,
      threads: state.threads.map((thread) => ({ ...thread, id: plus(thread.id, offset) })),
      messages: state.messages.map((message) => ({
        ...message,
        threadId: plus(message.threadId, offset),
      })),
    },
    ids: new Map(state.threads.map(({ id }) => [id, plus(id, offset)])),
  };
}

/** The scenario about the same threads and templates: their ids, wherever they stand as a whole value or in a query. */
export function withOtherIds(scenario: Scenario, ids: Renamed["ids"]): Scenario {
  const changed = (value: unknown): unknown => {
    if (typeof value === "string")
      return (
        ids.get(value) ??
        value.replace(/\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g, (whole, before, id) => {
          const other = ids.get(id);
          return other === undefined ? whole : before + other;
        })
      );
    if (typeof value === "number") return ids.has(String(value)) ? Number(ids.get(String(value))) : value;
    if (Array.isArray(value)) return value.map(changed);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item)]));
  };
  const { thread } = scenario;
  return {
    ...withInputs(scenario, (input) => changed(input) as ParsedStep["input"]),
    ...(thread !== undefined && { thread: ids.get(thread) ?? thread }),
  };
}

/** The scenario whose expectations wait so much longer, ms. */
export const withPatience = (scenario: Scenario, ms: number): Scenario => ({
  ...withInputs(scenario, ({ within, ...input }) =>
    within === undefined || String(within).includes("${")
      ? { ...input, ...(within !== undefined && { within }) }
      : { ...input, within: waitMs(within as Duration, undefined) + ms },
  ),
  within: waitMs(undefined, scenario.within) + ms,
});

function withInputs(
  scenario: Scenario,
  change: (input: ParsedStep["input"]) => ParsedStep["input"],
): Scenario {
  const step = (each: ParsedStep): ParsedStep => ({
    ...each,
    input: change(each.input),
    ...(each.steps && { steps: each.steps.map(step) }),
  });
  return { ...scenario, steps: scenario.steps.map(step) };
}

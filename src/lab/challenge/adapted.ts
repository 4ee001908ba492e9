/** The initial state and the scenario with a change applied: other ids, other templates, more patience. */

import { createHash } from "node:crypto";
import type { DeliveryRecord, FixtureDocument, RequestRecord } from "../../client/types.js";
import type { Duration } from "../../kernel/duration.js";
import { mapLeaves, valueAt } from "../../kernel/json.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { StepFailure } from "../../scenarios/report.js";
import type { Fields, ParsedStep, StepEngine } from "../../scenarios/step.js";
import { mapSteps, waitMs } from "../../scenarios/step.js";
import type { Change, TemplateUse } from "./kinds.js";
import { isRefused, refusalOf, sendsTemplate, templateCalls } from "./wire.js";

interface Renamed {
  readonly state: FixtureDocument;
  /** New ids of threads and templates by their old ones. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Another contentSid, always the same one. */
const renamed = (contentSid: string): string =>
  `HX${createHash("sha256").update(contentSid).digest("hex").slice(0, 32)}`;

export function changedState(state: FixtureDocument, { offset, templates }: Change): Renamed {
  const { threads, messages } = state;
  const kept = templates?.are === "empty" ? [] : state.templates;
  const templateIds = kept.map(({ id }) => [id, templates === undefined ? id : renamed(id)] as const);
  const threadIds = threads.map(({ id }) => [id, String(Number(id) + offset)] as const);
  const ids = new Map([...templateIds, ...threadIds]);
  const idOf = (id: string) => ids.get(id) ?? id;
  return {
    ids,
    state: {
      ...state,
      templates: kept.map((template) => ({ ...template, id: idOf(template.id) })),
      threads: threads.map((thread) => ({ ...thread, id: idOf(thread.id) })),
      messages: messages.map(({ threadId, contentSid, ...message }) => ({
        ...message,
        threadId: idOf(threadId),
        contentSid: contentSid === null || templates?.are === "empty" ? null : idOf(contentSid),
      })),
    },
  };
}

/** The scenario with new ids, where they stand as a whole value or in a path or query. */
export function withOtherIds(scenario: Scenario, ids: Renamed["ids"]): Scenario {
  const inPath = /\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g;
  const changed = (value: unknown): unknown => {
    const id = ids.get(String(value));
    if (id !== undefined) return typeof value === "number" ? Number(id) : id;
    if (typeof value !== "string") return value;
    return value.replace(inPath, (_, before, id) => before + (ids.get(id) ?? id));
  };
  const { thread } = scenario;
  return {
    ...withInputs(scenario, (input) => mapLeaves(input, changed) as Fields),
    ...(thread !== undefined && { thread: ids.get(thread) ?? thread }),
  };
}

/** The scenario with expectations that wait longer. */
export const withPatience = (scenario: Scenario, ms: number): Scenario => ({
  ...withInputs(scenario, (input) => {
    const { within } = input;
    if (within === undefined || String(within).includes("${")) return input;
    return { ...input, within: waitMs(within as Duration, undefined) + ms };
  }),
  within: waitMs(undefined, scenario.within) + ms,
});

const withInputs = (scenario: Scenario, change: (input: Fields) => Fields): Scenario => ({
  ...scenario,
  steps: mapSteps(scenario.steps, (step) => ({ ...step, input: change(step.input) })),
});

/** @returns undefined if it neither listed nor sent a template */
export function templateUseIn(
  requests: readonly RequestRecord[],
  { steps }: Report,
): TemplateUse | undefined {
  const lists = ({ response }: RequestRecord) => valueAt(response, ["templates", 0]) !== undefined;
  const first = templateCalls(requests).find((call) => sendsTemplate(call) || lists(call));
  if (first === undefined) return undefined;
  const thread = valueAt(first.body, ["customerThreadId"]) ?? first.query.customerThreadId;
  const step = steps.find(({ said }) => said?.who === "client" && said.template !== undefined);
  const refused = new Set(requests.filter(isRefused).map(refusalOf));
  return { thread: String(thread), step: step?.place.path, refused };
}

export const REFUSED = "a call was refused without templates";
export const UNANSWERED = "an event was not answered with a success without templates";

const NEXT = "Hello?";

/**
 * The scenario up to the step that waits for a template. In place of that step, no call may be refused that the unchanged
 * run does not have refused, and the next event must be answered with a success.
 *
 * @param settled resolves when the system under test is quiet
 */
export function untilTemplate(
  scenario: Scenario,
  { thread, step: path, refused }: TemplateUse,
  settled: () => Promise<void>,
): Scenario {
  const run = async (context: StepEngine) => {
    const { transport } = context;
    await settled();
    const refusal = (await transport.call<RequestRecord[]>("GET", "/requests")).find(
      (request) => isRefused(request) && !refused.has(refusalOf(request)),
    );
    if (refusal !== undefined) {
      const { id: about, operation, status, response } = refusal;
      throw new StepFailure(REFUSED, {
        expected: "no refused call",
        seen: { operation, status, response },
        about,
      });
    }
    const { length: before } = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    await context.control("POST", `/threads/${context.threadId(thread)}/inbound`, { text: NEXT });
    await settled();
    const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    const unanswered = deliveries.slice(before).find(({ status }) => status === "failed");
    if (unanswered !== undefined) {
      const { status, error } = unanswered.attempts.at(-1) ?? {};
      throw new StepFailure(UNANSWERED, {
        expected: "a success",
        seen: status ?? error,
        about: unanswered.id,
      });
    }
    return {};
  };
  const inPlaceOf = ({ kind, name, id, place }: ParsedStep): ParsedStep => {
    const { call: _, ...own } = kind;
    return { name, id, place, input: {}, kind: { ...own, key: "reply", effect: "observes", run } };
  };
  let isReached = false;
  const steps = mapSteps(scenario.steps, (step) => {
    if (isReached) return undefined;
    isReached = step.place.path === path;
    return isReached ? inPlaceOf(step) : step;
  });
  const last = scenario.steps.at(-1);
  return { ...scenario, steps: isReached || last === undefined ? steps : [...steps, inPlaceOf(last)] };
}

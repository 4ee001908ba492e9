/** The initial state and the scenario with a change applied: other ids, other templates, more patience. */

import { createHash } from "node:crypto";
import type { DeliveryRecord, FixtureDocument, RequestRecord } from "../../client/types.js";
import type { Duration } from "../../kernel/duration.js";
import { isObject, mapLeaves } from "../../kernel/json.js";
import type { Scenario } from "../../scenarios/read.js";
import type { Report } from "../../scenarios/report.js";
import { StepFailure } from "../../scenarios/report.js";
import type { Fields, ParsedStep, StepEngine } from "../../scenarios/step.js";
import { mapSteps, waitMs } from "../../scenarios/step.js";
import type { Change, TemplateUse } from "./kinds.js";
import { isRefused, refusalOf, sendsTemplate, templateCalls } from "./wire.js";

interface Renamed {
  readonly state: FixtureDocument;
  readonly ids: ReadonlyMap<string, string>;
}

const plus = (id: string, offset: number): string => String(Number(id) + offset);

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

/** The scenario with new ids, where they stand as a whole value or in a path or query. */
export function withOtherIds(scenario: Scenario, ids: Renamed["ids"]): Scenario {
  const changed = (value: unknown): unknown => {
    if (typeof value === "number") return ids.has(String(value)) ? Number(ids.get(String(value))) : value;
    if (typeof value !== "string") return value;
    return (
      ids.get(value) ??
      value.replace(
        /\b((?:customerT|t)hreadId=|\/threads\/)(\d+)\b/g,
        (_, before, id) => before + (ids.get(id) ?? id),
      )
    );
  };
  const { thread } = scenario;
  return {
    ...withInputs(scenario, (input) => mapLeaves(input, changed) as Fields),
    ...(thread !== undefined && { thread: ids.get(thread) ?? thread }),
  };
}

/** The scenario with expectations that wait longer. */
export const withPatience = (scenario: Scenario, ms: number): Scenario => ({
  ...withInputs(scenario, ({ within, ...input }) =>
    within === undefined || String(within).includes("${")
      ? { ...input, ...(within !== undefined && { within }) }
      : { ...input, within: waitMs(within as Duration, undefined) + ms },
  ),
  within: waitMs(undefined, scenario.within) + ms,
});

const withInputs = (scenario: Scenario, change: (input: Fields) => Fields): Scenario => ({
  ...scenario,
  steps: mapSteps(scenario.steps, (step) => ({ ...step, input: change(step.input) })),
});

const listedIn = ({ operation, response }: RequestRecord): readonly unknown[] =>
  operation === "getWhatsappTemplates" && isObject(response) && Array.isArray(response.templates)
    ? response.templates
    : [];

/** @returns undefined if it neither listed nor sent a template */
export function templateUseIn(
  requests: readonly RequestRecord[],
  { steps }: Report,
): TemplateUse | undefined {
  const first = templateCalls(requests).find((call) => sendsTemplate(call) || listedIn(call).length > 0);
  if (first === undefined) return undefined;
  const { query, body } = first;
  const { customerThreadId: thread } = sendsTemplate(first)
    ? (body as { customerThreadId?: unknown })
    : query;
  const step = steps.find(({ said }) => said?.who === "client" && said.template !== undefined);
  const refused = new Set(requests.filter(isRefused).map(refusalOf));
  return { thread: String(thread), step: step?.place.path, refused };
}

/** Another contentSid, always the same one. */
const renamed = (contentSid: string): string =>
  `HX${createHash("sha256").update(contentSid).digest("hex").slice(0, 32)}`;

function otherTemplates(
  state: FixtureDocument,
  are: "renamed" | "empty",
): { readonly state: FixtureDocument; readonly ids: ReadonlyMap<string, string> } {
  const ids = new Map(are === "empty" ? [] : state.templates.map(({ id }) => [id, renamed(id)]));
  return {
    state: {
      ...state,
      templates: state.templates.flatMap((template) => {
        const id = ids.get(template.id);
        return id === undefined ? [] : [{ ...template, id }];
      }),
      messages: state.messages.map((message) =>
        message.contentSid === null
          ? message
          : { ...message, contentSid: ids.get(message.contentSid) ?? null },
      ),
    },
    ids,
  };
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
  { thread, step, refused }: TemplateUse,
  settled: () => Promise<void>,
): Scenario {
  const run = async (context: StepEngine) => {
    const since = async <T>(log: string) => context.transport.call<T[]>("GET", log);
    await settled();
    const refusal = (await since<RequestRecord>("/requests")).find(
      (request) => isRefused(request) && !refused.has(refusalOf(request)),
    );
    if (refusal !== undefined)
      throw new StepFailure(REFUSED, {
        expected: "no refused call",
        seen: { operation: refusal.operation, status: refusal.status, response: refusal.response },
        about: refusal.id,
      });
    const { length: before } = await since<DeliveryRecord>("/deliveries");
    await context.control("POST", `/threads/${context.threadId(thread)}/inbound`, { text: NEXT });
    await settled();
    const unanswered = (await since<DeliveryRecord>("/deliveries"))
      .slice(before)
      .find(({ status }) => status === "failed");
    if (unanswered !== undefined)
      throw new StepFailure(UNANSWERED, {
        expected: "a success",
        seen: unanswered.attempts.at(-1)?.status ?? unanswered.attempts.at(-1)?.error,
        about: unanswered.id,
      });
    return {};
  };
  const inPlaceOf = (waiting: ParsedStep): ParsedStep => {
    const { steps: _, ...own } = waiting;
    const { call: __, ...kind } = waiting.kind;
    return { ...own, input: {}, kind: { ...kind, key: "reply", effect: "observes", run } };
  };
  const cut = (steps: readonly ParsedStep[]): readonly ParsedStep[] | undefined => {
    for (const [index, each] of steps.entries()) {
      const before = steps.slice(0, index);
      if (each.place.path === step) return [...before, inPlaceOf(each)];
      const inner = each.steps && cut(each.steps);
      if (inner !== undefined)
        return [...before, { ...each, input: { ...each.input, times: 1 }, steps: inner }];
    }
    return undefined;
  };
  const last = scenario.steps.at(-1);
  const steps = cut(scenario.steps) ?? [...scenario.steps, ...(last === undefined ? [] : [inPlaceOf(last)])];
  return { ...scenario, steps };
}

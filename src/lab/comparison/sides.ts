/** Plays a scenario on both sides, and keeps every call with its answer: whole on a simulator, its requests alone elsewhere. */
import { omitUndefined } from "../../kernel/objects.js";
import { isoOf, onAbort, wallNow } from "../../kernel/realtime.js";
import { type ApiAnswer, type Http, type HttpCall, parsedBody, type Target } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import type { StepReport } from "../../scenarios/report.js";
import { Runner } from "../../scenarios/runner.js";
import { allSteps, mapSteps, type ParsedStep, type StepKind, worksAnywhere } from "../../scenarios/step.js";
import { withoutSecrets } from "../../scenarios/varying.js";
import { BEHAVIOUR_KEYS } from "../../service/behaviour/table.js";
import { type OtherSide, otherSideFailed } from "./other-side.js";
import type { EntryValues } from "./values.js";

/** A request step with its call and the answer, which are undefined if the call could not be made, because of `problem`. */
export interface TracedStep extends Pick<StepReport, "name" | "place"> {
  /** `POST /api/update-thread-status` */
  readonly call?: string;
  readonly token?: string | undefined;
  readonly sent?: unknown;
  /** Null if no answer came, because of `problem`. */
  readonly status?: number | null;
  readonly headers?: ApiAnswer["headers"];
  readonly body?: unknown;
  readonly problem?: string;
  /** When it came, ISO 8601. */
  readonly at: string;
}

/**
 * Runs a scenario; resolves with the request steps by their paths and rounds, and with what failed: steps, and answers that the
 * scenario did not expect.
 *
 * @param reset awaited before the first step too
 */
async function tracedRun(scenario: Scenario, target: Target, http: Http, reset?: () => Promise<void>) {
  const steps = new Map<string, TracedStep>();
  let newest: Partial<TracedStep> = {};
  const sendApi = async (call: HttpCall): Promise<ApiAnswer> => {
    const sent = call.body === undefined ? undefined : parsedBody(call.body);
    const path = call.url.slice(target.url.length);
    const made = { call: `${call.method} ${path}`, token: call.headers.token, sent };
    newest = { ...made, status: null, problem: "no response" };
    const answer = await http.send(call);
    newest = { ...made, ...answer, body: withoutSecrets(answer.body) };
    return answer;
  };
  const onStep = ({ name, place, rounds = [], message }: StepReport, { kind }: ParsedStep) => {
    const step = { name, place, at: isoOf(wallNow()), ...newest, ...(message && { problem: message }) };
    newest = {};
    if (kind.effect === "calls") steps.set([place.path, ...rounds].join(" "), step);
  };
  const options = { http, keepGoing: true, sendApi, onStep, ...omitUndefined({ reset }) };
  const runner = new Runner(scenario, target, options);
  const forget = target.signal && onAbort(target.signal, () => runner.interrupt("interrupted"));
  if (reset !== undefined) await runner.reset();
  await runner.execute(scenario.steps).finally(forget);
  const side = reset === undefined ? "the other side" : "the simulator";
  const failures = runner.reports.flatMap(({ ok, name, place, message }) =>
    ok ? [] : [{ name, place, reason: `on ${side}: ${message}` }],
  );
  return { steps, failures };
}

/** A simulator of this process, whose sandbox `default` also answers calls with unknown tokens. It must not deliver anything. */
export interface OwnSimulator extends Target {
  /** Counts how often each entry was consulted, in the order of the table. */
  readonly registry: { coverage(): { readonly reads: readonly number[] } };
}

/**
 * Plays a whole scenario under behaviour values. Its calls count as those of a client, so that the coverage shows which entries they
 * consulted.
 *
 * @throws UnusableDocument, SimError
 */
export async function simulatorTrace(
  scenario: Scenario,
  server: OwnSimulator,
  behaviour: EntryValues,
  http: Http,
) {
  const steps = mapSteps(scenario.steps, (step) => (isLeftOut(step.kind) ? undefined : step));
  // What control steps consult is not counted.
  const isCounted = allSteps(steps).every(({ kind }) => worksAnywhere(kind));
  const { reads: before } = server.registry.coverage();
  const reset = () => resetSandbox({ ...scenario, behaviour }, server);
  const trace = await tracedRun({ ...scenario, steps }, server, http, reset);
  const { reads } = server.registry.coverage();
  const consulted = BEHAVIOUR_KEYS.filter((_, index) => !isCounted || reads[index] !== before[index]);
  return { ...trace, consulted };
}

/** No answer of the API depends on steps that observe or emit, and only the simulator takes faults. */
const isLeftOut = ({ effect, send }: StepKind): boolean =>
  effect === "observes" || effect === "emits" || send?.route.endsWith("/faults") === true;

/**
 * Sends a scenario's requests to the other side, with the steps between them that need no simulator.
 *
 * @param tokens by the tokens of the fixture, those of the other side, if it has one
 * @throws UnusableDocument before anything is sent, if a token has no counterpart
 */
export async function sendTo(
  other: OtherSide,
  scenario: Scenario,
  tokens: Readonly<Record<string, string | undefined>>,
) {
  const steps = mapSteps(scenario.steps, (step) => {
    const { kind, input, name } = step;
    if (kind.effect !== "calls") return worksAnywhere(kind) ? step : undefined;
    const named = input.token === undefined ? scenario.token : input.token;
    if (typeof named !== "string") return step;
    // An unknown token is sent as it is: it is meant to be refused.
    const token = Object.hasOwn(tokens, named) ? tokens[named] : named;
    if (token === undefined)
      throw otherSideFailed(`token-for ${named}`, `is missing: ${scenario.name} uses this token in ${name}`);
    return { ...step, input: { ...input, token } };
  });
  const { url, ended } = other.against;
  return { scenario, ...(await tracedRun({ ...scenario, steps }, { url, signal: ended.signal }, other)) };
}

export type RunTrace = Awaited<ReturnType<typeof tracedRun>>;
/** What the other side answered to a scenario. */
export type Sent = Awaited<ReturnType<typeof sendTo>>;

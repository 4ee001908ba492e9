/** Sends scenarios to another address once, plays them on the simulator as often as needed, and says where and why they differ. */
import { operationOfCall } from "../../api/operations/index.js";
import { valueText } from "../../client/misses.js";
import { isObject } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { ProfileName } from "../../protocol/names.js";
import { type Target, transportTo } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import { type RunTrace, type TracedCall, tracedRun, withoutSecrets } from "../../scenarios/trace.js";
import { currentValue, type Observed } from "../../service/behaviour/observed.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, PROFILES } from "../../service/behaviour/table.js";
import { decidedBy, type FieldDifference, isAnswerKey, isRefusal, type MatchedCall } from "./differences.js";
import { callAt, callsOf, type Explanation, prove, Replay, search } from "./explain.js";
import { type Against, OtherSide, OtherSideFailed } from "./other-side.js";
import { look, type ProbeScope, undo, worldLike } from "./probes.js";
import type { CallDifference, Comparison, ScenarioComparison } from "./report.js";
import { stepText } from "./report.js";
import { otherSteps, simulatorTrace, type Values } from "./sides.js";

const MAX_EVIDENCE = 5;
/** Longer than all pauses of the other side, which has a limit of its own for each answer. */
const PATIENCE_MS = 86_400_000;

interface ComparisonOptions {
  /** A simulator of this process, whose sandbox `default` is used. */
  readonly server: Target;
  readonly against: Against;
  /** What probes may use; undefined if the scenarios are no probes. */
  readonly scope: ProbeScope | undefined;
  /** The values of an earlier comparison, from which the simulator starts. */
  readonly base: Values;
  readonly onScenario: (name: string) => void;
}

/** A scenario, and what the other side answered. */
interface Sent {
  readonly scenario: Scenario;
  readonly trace: RunTrace;
  readonly notSent: RunTrace["failures"];
}

/**
 * Compares scenarios; resolves with the report, the values that explain most, and what could not be undone or sent.
 *
 * @throws OtherSideFailed, UnusableScenario, SimError, the signal's reason
 */
export async function compareScenarios(scenarios: readonly Scenario[], options: ComparisonOptions) {
  const { server } = options;
  const set = scenarios.map(({ behaviour }) =>
    typeof behaviour === "string" ? PROFILES[behaviour as ProfileName] : behaviour,
  );
  const base: Values = Object.assign({}, ...set, options.base);
  const other = new OtherSide(options.against);
  const problems = new Set<string>();
  const all = await sendAll(scenarios, other, { ...options, base }, problems).finally(() =>
    other.http.close(),
  );
  const replay = new Replay(
    all.map(({ scenario, trace }) => ({
      other: trace,
      play: (values: Values) => simulatorTrace(scenario, server, values),
    })),
  );
  const start = await replay.under(base);
  refuseUselessAnswers(
    callsOf(start).map(({ call }) => call),
    other,
  );
  const found = await search(replay, base);
  const proofs = await prove(replay, base, found);

  const compared = all.map(({ scenario: { name, file }, trace, notSent }, scenario): ScenarioComparison => {
    const calls = callsOf(start).filter((one) => one.scenario === scenario);
    const differences = calls.flatMap(({ call, step }) => {
      if (call.fields.length === 0) return [];
      const entries = proofs.explanations.filter((one) => one.scenario === scenario && one.step === step);
      const left = callAt(found.outcome, { scenario, step });
      return [differenceOf(call, left?.fields.length ? left : call, entries)];
    });
    const own = start.runs[scenario]?.failures ?? [];
    const failures = [
      ...own.map((one) => ({ ...one, reason: `on the simulator: ${one.reason}` })),
      ...trace.failures.map((one) => ({ ...one, reason: `on the other side: ${one.reason}` })),
    ];
    const both = calls.filter(({ call: { here, there } }) => here?.recorded && there.recorded);
    const ok = differences.length + failures.length === 0;
    return { name, ...omitUndefined({ file }), ok, compared: both.length, differences, notSent, failures };
  });
  const observed = BEHAVIOUR_KEYS.flatMap((key): Observed[] => {
    const value = currentValue(key, found.values);
    const places = new Map(proofs.observed.get(key)?.map((one) => [`${one.scenario} ${one.step}`, one]));
    const evidence = [...places.values()].slice(0, MAX_EVIDENCE).flatMap((place) => {
      const there = callAt(found.outcome, place)?.there;
      if (there?.recorded === undefined) return [];
      const { id = there.recorded.call } = operationOfCall(there.recorded.call) ?? {};
      const scenario = all[place.scenario]?.scenario.name ?? "";
      const shown = shows(there.recorded, place.fields, id);
      return [{ scenario, step: stepText(there), operation: id, at: there.at, shows: shown }];
    });
    // A value that has a secret in it is not kept.
    const isShown = JSON.stringify(other.secrets.hide(value)) === JSON.stringify(value);
    return evidence.length > 0 && isShown
      ? [{ key, value, default: BEHAVIOUR_TABLE[key].default, evidence }]
      : [];
  });
  const contradictions = compared.flatMap(({ name: scenario, differences }) =>
    differences.flatMap(({ section, fields, operation, ...step }) => {
      const said = (side: "simulator" | "other") =>
        fields
          .slice(0, 3)
          .map((field) => `${field.path} ${valueText(field[side])}`)
          .join(", ");
      const [expected, seen] = [said("simulator"), said("other")];
      return section === null ? [] : [{ scenario, step: stepText(step), operation, section, expected, seen }];
    }),
  );
  const known = new Set<string>(observed.map(({ key }) => key));
  const comparison: Comparison = other.secrets.hide({
    against: other.name,
    ok: compared.every(({ ok }) => ok),
    ...{ scenarios: compared, observed, contradictions },
    open: BEHAVIOUR_KEYS.filter((key) => !known.has(key)),
  });
  return { comparison, values: found.values, problems: [...problems] };
}

/** Sends all scenarios. Whatever happens, what a probe has changed is set back before the next one. @throws the signal's reason */
async function sendAll(
  scenarios: readonly Scenario[],
  other: OtherSide,
  { server, against, scope, base, onScenario }: ComparisonOptions,
  problems: Set<string>,
): Promise<readonly Sent[]> {
  const fixture = await transportTo(server).call<Parameters<typeof worldLike>[0]>("GET", "/state");
  const before = scope && (await look(other, scope));
  const all: Sent[] = [];
  for (const named of scenarios) {
    against.signal.throwIfAborted();
    if (other.stopped !== undefined) break;
    onScenario(named.name);
    // What an earlier probe could not set back is different now.
    const shown = named.probe?.writes && scope ? await look(other, scope) : before;
    const fixtures = scope && shown ? worldLike(fixture, shown, scope) : named.fixtures;
    const tokens = ((fixtures ?? fixture).tokens ?? []) as readonly { readonly id: string }[];
    const token = named.token ?? tokens[0]?.id;
    const scenario: Scenario = { ...named, ...omitUndefined({ fixtures, token }) };
    const { steps, notSent } = otherSteps(scenario, (name) => {
      if (Object.hasOwn(against.tokens, name)) return against.tokens[name];
      if (name === token) return against.token;
      // An unknown token is sent as it is: it is meant to be refused.
      return tokens.some(({ id }) => id === name) ? undefined : name;
    });
    // An unusable scenario is never sent anywhere.
    await simulatorTrace(scenario, server, base);
    try {
      const send = other.send.bind(other);
      const side = { http: other.http, send, timeoutMs: PATIENCE_MS, signal: against.signal };
      all.push({ scenario, trace: await tracedRun(scenario, { url: against.url }, steps, side), notSent });
    } finally {
      if (named.probe?.writes && scope && before)
        for (const problem of await undo(other, scope, before)) problems.add(problem);
    }
  }
  against.signal.throwIfAborted();
  if (other.stopped !== undefined)
    throw new OtherSideFailed("against", `${other.name}: ${other.stopped.message}`);
  return all;
}

/**
 * @throws OtherSideFailed if the other side answered no call, or answers 401 to every call with one of the given tokens: agreeing
 * on that would say nothing
 */
function refuseUselessAnswers(calls: readonly MatchedCall[], { name, against }: OtherSide): void {
  const answers = calls.flatMap(({ there: { recorded } }) => recorded ?? []);
  const [any] = answers;
  if (any !== undefined && answers.every(({ status }) => status === null))
    throw new OtherSideFailed("against", `${name} does not respond: ${any.problem}`);
  const named = Object.entries(against.tokens).map(([one, value]) => [`token-for ${one}`, value] as const);
  for (const [option, sent] of [["token", against.token] as const, ...named]) {
    const withToken = answers.filter(({ token }) => token === sent);
    if (withToken.length === 0 || withToken.some(({ status }) => status !== 401)) continue;
    const many = withToken.length === 1 ? "" : ` and ${withToken.length - 1} more`;
    throw new OtherSideFailed(option, `${name} refuses the token: 401 for ${withToken[0]?.call}${many}`);
  }
}

/** @param left the call as it differs with the values that explain most */
function differenceOf(call: MatchedCall, left: MatchedCall, entries: readonly Explanation[]): CallDifference {
  const { here, there, fields } = call;
  const { name, place } = here ?? there;
  const line = here?.recorded?.call ?? there.recorded?.call ?? name;
  const [simulator, other] = [here, there].map((side) => ({
    status: side?.recorded?.status ?? null,
    ...omitUndefined({ body: withoutSecrets(side?.recorded?.body) }),
  })) as [CallDifference["simulator"], CallDifference["other"]];
  const said = new Map(entries.map(({ key, value }) => [`${key} ${JSON.stringify(value)}`, { key, value }]));
  const why = said.size > 0 ? { entries: [...said.values()], section: null } : reasonOf(line, left);
  const { id: operation = line } = operationOfCall(line) ?? {};
  return { name, place, call: line, operation, simulator, other, fields, ...why };
}

/** Why a call differs that no value explains: the section that it contradicts, or the entry that leaves it open in a way of its own. */
function reasonOf(
  line: string,
  { here, there, fields }: MatchedCall,
): Pick<CallDifference, "entries" | "section"> {
  const [own, other] = [here?.recorded, there.recorded];
  const key = BEHAVIOUR_KEYS.find((one) => one === decidedBy(own));
  const isSame = own !== undefined && other !== undefined && isRefusal(own) === isRefusal(other);
  if (isSame && key !== undefined && (isRefusal(own) || isAnswerKey(key)))
    return { entries: [{ key }], section: null };
  return { entries: [], section: sectionFor(line, own, fields) };
}

/** The section of the specification that says what the simulator does. */
function sectionFor(line: string, own: TracedCall | undefined, fields: readonly FieldDifference[]): string {
  const operation = operationOfCall(line);
  const has = (path: string) => fields.some((field) => field.path === path);
  if (operation === undefined || own === undefined) return operation?.section ?? "Endpoints";
  const { id, section } = operation;
  if (own.status === 401) return id === "sendMessageToBusiness" ? "Errors / Widget route" : "Authentication";
  if (!isRefusal(own))
    return id === "getCustomerThreadDetails" && has("body.status")
      ? "States and transitions / Thread status"
      : section;
  if (id === "deleteUserByEmail") return "Errors / Delete user by email";
  if (isObject(own.body) && Array.isArray(own.body.body) && !has("status"))
    return "Errors / Validation error shape";
  return id === "sendMessageToBusiness" ? "Errors / Widget route" : section;
}

/** What of an answer shows a value, as one line. Of a person's profile it names the fields alone. */
function shows({ status, body }: TracedCall, fields: readonly string[], operation: string): string {
  const isPersonal = operation === "getCustomerProfile" && !isRefusal({ status, body });
  return `${status} ${isPersonal ? fields.join(", ") : valueText(withoutSecrets(body))}`;
}

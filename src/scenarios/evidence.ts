/** What a report holds besides its steps: warnings, causal chains, the latest calls, and findings that fail a run. */

import { titleOf } from "../client/misses.js";
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, RequestRecord, Warning } from "../client/types.js";
import { segment } from "../kernel/names.js";
import { omitUndefined } from "../kernel/objects.js";
import { within } from "../kernel/realtime.js";
import type { Scenario } from "./read.js";
import type { CallSummary, Report, StepLocation, StepReport, WarningSummary } from "./report.js";
import type { Runner } from "./runner.js";

type Evident = Pick<Runner, "transport" | "consumed" | "sandbox" | "reports" | "threads" | "hasKeptQuiet">;

/** The calls since the run began; none if it was ended in the middle of a reset, which has taken the entry that they follow. */
async function callsOf({ transport, consumed }: Evident): Promise<RequestRecord[]> {
  const options = { query: { since: consumed.start("requests") }, accept: [400] };
  const { status, body } = await transport.answer<RequestRecord[]>("GET", "/requests", options);
  return status === 400 ? [] : body;
}

export async function evidenceOf(
  run: Evident,
  { warnings }: Gathered,
  ok: boolean,
): Promise<Pick<Report, "warnings" | "unexpected" | "cause" | "transcript">> {
  if (ok) return { warnings, unexpected: [] };
  const { transport, consumed, reports, threads } = run;
  const calls = await callsOf(run);
  const unexpected = calls.filter(({ id, by }) => by === "client" && !consumed.isTaken("requests", id));
  return {
    warnings,
    unexpected: unexpected.map(callSummary),
    cause: whyFailed(firstFailure(reports)),
    transcript: await transcriptsOf(transport, threads),
  };
}

/** The step that failed first; undefined if none did. */
export const firstFailure = (steps: readonly StepReport[]): StepReport | undefined =>
  steps.find(({ ok, skipped }) => !ok && skipped !== true);

/** Why a step failed, in one sentence: what the logs tell of a reply or call that never came, else what the step says. */
function whyFailed({ step, message = "", said, expected, why }: Partial<StepReport> = {}): string {
  const text = said && JSON.stringify(said.text);
  if (step === "reply" && text !== undefined) return `Your bot replied ${text}: ${message}`;
  if (step === "silent" && text !== undefined) return `Expected ${expected}, but this arrived: ${text}`;
  return why ?? message;
}

const callSummary = (call: RequestRecord): CallSummary => {
  const { id, at, by, body, status, response } = call;
  return { id, at, by, summary: titleOf(call), body, status, response };
};

export async function transcriptsOf(transport: Transport, threads: Iterable<string>): Promise<string> {
  const parts: string[] = [];
  for (const thread of threads) {
    const path = `/threads/${segment(thread)}/transcript`;
    const options = { query: { format: "md" }, accept: [404] };
    const { status, body } = await transport.answer<string>("GET", path, options);
    if (status === 200) parts.push(String(body).trimEnd());
  }
  return parts.join("\n\n");
}

/** One warning for each kind and call site, with its count. */
export function mergedWarnings(warnings: readonly WarningSummary[]): WarningSummary[] {
  const merged = new Map<string, WarningSummary>();
  for (const warning of warnings) {
    const key = JSON.stringify([warning.code, warning.site, warning.by]);
    const before = merged.get(key) ?? { ...warning, count: 0 };
    merged.set(key, { ...before, count: before.count + warning.count });
  }
  return [...merged.values()];
}

/** `POST updateThreadStatus by the scenario (2 times)` */
export const siteText = ({ site, by, count }: WarningSummary): string =>
  site +
  (by === null ? "" : ` by ${by === "client" ? "your program" : "the scenario"}`) +
  (count > 1 ? ` (${count} times)` : "");

/** The report with a failed step for its contract warnings, if it has any. */
export function failedByWarnings(report: Report): Report {
  const { warnings } = report;
  if (warnings.length === 0) return report;
  const texts = warnings.map((warning) => `${siteText(warning)}: ${warning.code}: ${warning.message}`);
  return withFailure(report, {
    name: "no contract warnings",
    step: "warnings",
    message: `${warnings.length === 1 ? "a contract warning" : "contract warnings"}: ${texts.join("; ")}`,
    seen: texts,
  });
}

/** Fails a run in which a fault could have no effect: it tested less than it says. */
export const failedByIdleFaults = (report: Report): Report =>
  report.remarks
    .filter(({ about }) => about === "idle fault")
    .reduce(
      (failed, { message, place }) => withFailure(failed, { name: "fault", step: "fault", place, message }),
      report,
    );

/** A system under test that crashes on a delivery exits shortly after the connection breaks, ms. */
const TIME_TO_END_MS = 250;

type Failure = Pick<StepReport, "message" | "seen">;

/** What the logs show about a run. Collected at its end, and before each reset, which empties the logs. */
export class Gathered {
  warnings: readonly WarningSummary[] = [];
  /** The system under test has left a delivery without an answer. */
  isBroken = false;
  /** The system under test has answered a delivery or made a call. */
  #hasReacted = false;
  /** It has accepted a delivery, or refused one as a step or a fault wanted, or made a call. */
  #hasListened = false;
  readonly #deliveries: DeliveryRecord[] = [];

  /** Notes warnings with the calls that caused them, without those about calls before the run. */
  async warningsOf(run: Evident): Promise<void> {
    const warnings = await run.transport.call<Warning[]>("GET", "/warnings");
    if (warnings.length === 0) return;
    const calls = new Map((await callsOf(run)).map((call) => [call.id, call]));
    const found = warnings.flatMap(({ code, message, section, requestId }) => {
      const call = calls.get(requestId ?? "");
      if (requestId !== null && call === undefined) return [];
      const site = call === undefined ? "the simulator" : `${call.method} ${call.operation ?? call.path}`;
      return [{ code, message, section, site, by: call?.by ?? null, count: 1 }];
    });
    this.warnings = mergedWarnings([...this.warnings, ...found]);
  }

  /** Waits up to `waitMs` for pending deliveries if the run has tested nothing yet. */
  async callsOf(run: Evident, waitMs: number): Promise<void> {
    const { transport, consumed } = run;
    const look = async () => {
      const query = { by: "client", limit: 1 };
      const [call] = await transport.call<RequestRecord[]>("GET", "/requests", { query });
      const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
      this.#hasReacted ||= call !== undefined || deliveries.some((one) => answersTo(one).length > 0);
      this.#hasListened ||=
        call !== undefined ||
        deliveries.some((one) => isHeeded(one) || consumed.isTaken("deliveries", one.id));
      return deliveries;
    };
    let deliveries = await look();
    if (!this.#isTested(run) && waitMs > 0 && deliveries.some(({ status }) => status === "pending")) {
      const body = { for: "idle", timeoutMs: Math.ceil(waitMs) };
      await transport.answer("POST", "/wait", { body, accept: [408] });
      deliveries = await look();
    }
    this.isBroken ||= deliveries.some(isBroken);
    this.#deliveries.push(...deliveries.slice(0, MAX_SHOWN));
  }

  /** Why the run tested nothing although it caused deliveries, with the first of them; undefined if it tested something. */
  untested(run: Evident): Failure | undefined {
    if (this.#isTested(run) || this.#deliveries.length === 0) return undefined;
    const what = this.#hasReacted ? "accepted" : "responded to";
    return {
      message: `nothing was tested: your program ${what} no delivery and made no call`,
      seen: this.#deliveries.slice(0, MAX_SHOWN).map(deliveryText),
    };
  }

  /** The quiet of a system under test that refuses each delivery shows nothing. */
  #isTested({ hasKeptQuiet }: Evident): boolean {
    return hasKeptQuiet ? this.#hasListened : this.#hasReacted;
  }
}

/** The report with a failure if the system under test has exited, or if the run tested nothing. */
export async function failedBySystem(
  report: Report,
  run: Evident,
  gathered: Gathered,
  exited: Promise<Failure> | undefined,
): Promise<Report> {
  let end: Failure | undefined;
  const ended = exited?.then((how) => {
    end = how;
  });
  if (report.ok && ended !== undefined) await within(gathered.isBroken ? TIME_TO_END_MS : 0, ended);
  if (report.ok && end !== undefined)
    return withFailure(report, { name: "your program keeps running", step: "exec", ...end });
  const untested = gathered.untested(run);
  if (untested === undefined) return report;
  return withFailure(report, { name: "your program is tested", step: "tested", ...untested });
}

const isBroken = ({ attempts }: DeliveryRecord): boolean => attempts.some(({ status }) => status === null);

/** The attempts that the system under test answered, not a sink or fault of the simulator. */
const answersTo = ({ url, attempts }: DeliveryRecord): DeliveryRecord["attempts"] =>
  url.startsWith("sink:") ? [] : attempts.filter(({ status, stubbed }) => status !== null && !stubbed);

/** Whether the system under test accepted a delivery, or refused what a fault had changed. */
const isHeeded = (delivery: DeliveryRecord): boolean =>
  answersTo(delivery).some(({ fault }) => delivery.status === "delivered" || fault !== undefined);

const MAX_SHOWN = 5;

const deliveryText = (delivery: DeliveryRecord): string => {
  const last = delivery.attempts.at(-1);
  const why = delivery.reason ?? last?.error ?? last?.status;
  return titleOf(delivery) + (why ? ` (${why})` : "");
};

/** The report of a scenario whose system under test did not come up. */
export function notBegun({ name, file }: Scenario, sandbox: string, message: string): Report {
  const nothing = { steps: [], warnings: [], remarks: [], unexpected: [] };
  const report = { ...omitUndefined({ name, file }), ok: false, sandbox, durationMs: 0, ...nothing };
  return withFailure(report, { name: "your program starts", step: "exec", message });
}

const withFailure = (
  { played: _, ...report }: Report,
  failure: Pick<StepReport, "name" | "step"> & Partial<StepReport>,
): Report => ({
  ...report,
  ok: false,
  steps: [...report.steps, { ok: false, place: startOf(report), ...failure }],
});

/** The place of failures that belong to no step. */
export const startOf = ({ file }: Report): StepLocation =>
  file === undefined ? { path: "steps" } : { file, line: 1, column: 1, path: "" };

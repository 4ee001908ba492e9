/** Findings beside the steps that fail a report where a run asks for it. */
import type { Transport } from "../client/transport.js";
import type { DeliveryRecord, RequestRecord } from "../client/types.js";
import { within } from "../kernel/realtime.js";
import { summaryOf } from "./entries.js";
import type { Scenario } from "./read.js";
import type { Report, StepReport, WarningSummary } from "./report.js";
import { waitMs } from "./step.js";

/** Who made the call that a warning is about, with how often it came: `POST updateThreadStatus by the scenario (2 times)`. */
export const siteText = ({ site, by, count }: WarningSummary): string =>
  site +
  (by === null ? "" : ` by the ${by === "client" ? "system under test" : "scenario"}`) +
  (count > 1 ? ` (${count} times)` : "");

/** The report with a failed step that lists its contract warnings; as it is where there are none. */
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

/** The report with a failed step for each remark. */
export const failedByRemarks = (report: Report): Report =>
  report.remarks.reduce(
    (failed, { message, place }) =>
      withFailure(failed, {
        name: message,
        step: "strict",
        place,
        message: `${message} (--strict-scenario)`,
      }),
    report,
  );

/** A system under test that ends by a delivery may do so shortly after it has broken off the call, ms. */
const TIME_TO_END_MS = 250;

/**
 * The report with a failure where the system under test has ended (`exited`), or where the run tested nothing: it caused
 * deliveries, of which none was answered, and no call came. Deliveries that are under way are awaited.
 */
export async function failedBySystem(
  report: Report,
  { within: wait }: Pick<Scenario, "within">,
  transport: Transport,
  exited: Promise<Pick<StepReport, "message" | "seen">> | undefined,
): Promise<Report> {
  const look = async () => {
    const query = { by: "client", limit: 1 };
    const [call] = await transport.call<RequestRecord[]>("GET", "/requests", { query });
    const deliveries = await transport.call<DeliveryRecord[]>("GET", "/deliveries");
    return { deliveries, isTested: call !== undefined || deliveries.some(isAnswered) };
  };
  let found = await look();
  if (!found.isTested && report.ok && found.deliveries.some(({ status }) => status === "pending")) {
    const body = { for: "idle", timeoutMs: Math.ceil(waitMs(undefined, wait)) };
    await transport.answer("POST", "/wait", { body, accept: [408] });
    found = await look();
  }
  if (report.ok && exited !== undefined) {
    let end: Pick<StepReport, "message" | "seen"> | undefined;
    const ended = exited.then((how) => {
      end = how;
    });
    await within(found.deliveries.some(isBroken) ? TIME_TO_END_MS : 0, ended);
    if (end !== undefined)
      return withFailure(report, { name: "the end of the program", step: "exec", ...end });
  }
  if (found.isTested || found.deliveries.length === 0) return report;
  return withFailure(report, {
    name: "the system under test is tested",
    step: "tested",
    message: "nothing was tested: the system under test answered no delivery and made no call",
    seen: found.deliveries.slice(0, MAX_SHOWN).map(deliveryText),
  });
}

/** An attempt found somebody who did not answer it. */
const isBroken = ({ attempts }: DeliveryRecord): boolean => attempts.some(({ status }) => status === null);

/** What the simulator's own sinks answer says nothing about the system under test. */
const isAnswered = ({ url, attempts }: DeliveryRecord): boolean =>
  !url.startsWith("sink:") && attempts.some(({ status }) => status !== null);

/** So many deliveries that nobody answered are shown. */
const MAX_SHOWN = 5;

const deliveryText = (delivery: DeliveryRecord): string => {
  const why = delivery.reason ?? delivery.attempts.at(-1)?.error;
  return summaryOf(delivery) + (why ? ` (${why})` : "");
};

const withFailure = (
  report: Report,
  failure: Pick<StepReport, "name" | "step"> & Partial<StepReport>,
): Report => {
  const { file, steps } = report;
  const place = file === undefined ? { path: "steps" } : { file, line: 1, column: 1, path: "" };
  return { ...report, ok: false, steps: [...steps, { ok: false, place, ...failure }] };
};

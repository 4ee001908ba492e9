/** Findings beside the steps that fail a report where a run asks for it. */
import type { Report, StepReport, WarningSummary } from "./report.js";

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

const withFailure = (
  report: Report,
  failure: Pick<StepReport, "name" | "step"> & Partial<StepReport>,
): Report => {
  const { file, steps } = report;
  const place = file === undefined ? { path: "steps" } : { file, line: 1, column: 1, path: "" };
  return { ...report, ok: false, steps: [...steps, { ok: false, place, ...failure }] };
};

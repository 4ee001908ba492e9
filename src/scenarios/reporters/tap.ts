import { printableIn } from "../../kernel/printable.js";
import type { Report, StepReport } from "../report.js";
import { failureText, locationText } from "./failure-text.js";

/** TAP 14: a subtest for each scenario, a test point for each step. */
export function tapReports(reports: readonly Report[]): string {
  const lines = ["TAP version 14", `1..${reports.length}`];
  for (const [index, report] of printableIn(reports).entries()) {
    lines.push(`# Subtest: ${report.name}`);
    lines.push(
      ...[`1..${report.steps.length}`, ...report.steps.flatMap(testPoint)].map((line) => `    ${line}`),
    );
    for (const { place, message } of report.remarks)
      lines.push(`    # not tested: ${locationText(place)}  ${message.replace(/\s+/g, " ")}`);
    lines.push(`${report.ok ? "ok" : "not ok"} ${index + 1} - ${escaped(report.name)}`);
  }
  return `${lines.join("\n")}\n`;
}

function testPoint(step: StepReport, index: number): string[] {
  const more = step.moreRounds === undefined ? "" : ` (and ${step.moreRounds} more rounds)`;
  const title = `${index + 1} - ${escaped(step.name)}${more}`;
  if (step.skipped) return [`ok ${title} # SKIP an earlier step failed`];
  if (step.ok) return [`ok ${title}`];
  // JSON is YAML: a text of several lines stays on one.
  const details = { message: step.message, at: locationText(step.place), details: failureText(step) };
  const lines = Object.entries(details).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [`not ok ${title}`, "  ---", ...lines, "  ..."];
}

const escaped = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\#]/g, "\\$&");

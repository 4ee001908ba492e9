/** Reports for people: each scenario as the conversation that it is. */

import { valueText } from "../../client/misses.js";
import { printableIn } from "../../kernel/printable.js";
import { isoOf } from "../../kernel/realtime.js";
import { counted } from "../../kernel/words.js";
import type { CallSummary, Report, StepReport } from "../report.js";
import { roundsText } from "../step-reports.js";
import { siteText } from "../strictness.js";
import { mergedWarnings } from "../warnings.js";
import { failureLines, locationText } from "./failure-text.js";

interface PrettyOptions {
  /** With colours of a terminal. */
  readonly color?: boolean;
}

type Paint = (text: string) => string;
const plain: Paint = (text) => text;
const sgr =
  (code: number): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;

export interface Palette {
  readonly good: Paint;
  readonly bad: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
}

export const paletteOf = (color: boolean): Palette =>
  color
    ? { good: sgr(32), bad: sgr(31), faint: sgr(2), strong: sgr(1) }
    : { good: plain, bad: plain, faint: plain, strong: plain };

/** All reports and the summary of the run. */
export function prettyReports(reports: readonly Report[], options: PrettyOptions = {}): string {
  return [...reports.map((report) => prettyReport(report, options)), prettySummary(reports, options)].join(
    "\n",
  );
}

/** One scenario: who said what and when on its clock, then, where it failed, what there is to know about it. */
export function prettyReport(report: Report, { color = false }: PrettyOptions = {}): string {
  const palette = paletteOf(color);
  const shown = printableIn(report);
  const { ok, name, file, steps, durationMs } = shown;
  const mark = ok ? palette.good("✓") : palette.bad("✗");
  const head = `${mark} ${palette.strong(name)}${palette.faint(`${file === undefined ? "" : `  ${file}`}  ${Math.round(durationMs)} ms`)}`;
  return [
    head,
    ...stepLines(steps, palette),
    ...remarkLines(shown, palette),
    ...(ok ? [] : evidenceLines(shown, palette)),
    "",
  ].join("\n");
}

/** How many passed, and the contract warnings by the call site that caused them. */
export function prettySummary(reports: readonly Report[], { color = false }: PrettyOptions = {}): string {
  const { good, bad, faint } = paletteOf(color);
  const failed = reports.filter(({ ok }) => !ok).length;
  const passed = reports.length - failed;
  const counts = [
    ...(failed > 0 ? [bad(`${failed} failed`)] : []),
    ...(passed > 0 ? [good(`${passed} passed`)] : []),
  ];
  const lines = [`${counted(reports.length, "scenario")}: ${counts.join(", ")}`];
  if (failed > 0)
    lines.push(
      "",
      "Failed",
      ...printableIn(reports)
        .flatMap(failedLine)
        .map((line) => `  ${bad("✗")} ${line}`),
    );
  const warnings = printableIn(mergedWarnings(reports.flatMap((report) => report.warnings)));
  if (warnings.length > 0) lines.push("", "Contract warnings");
  for (const warning of warnings) {
    const { code, message, section } = warning;
    lines.push(`  ${siteText(warning)}`);
    lines.push(faint(`      ${code}: ${message} (specification: ${section})`));
  }
  return `${lines.join("\n")}\n`;
}

/** A failed scenario in a line: its name, and where and why. */
function failedLine({ name, ok, steps }: Report): string[] {
  if (ok) return [];
  const step = steps.find((candidate) => !candidate.ok && candidate.skipped !== true);
  return [step === undefined ? name : `${name}  ${locationText(step.place)}  ${step.message}`];
}

function stepLines(steps: readonly StepReport[], palette: Palette): string[] {
  let day = "";
  return steps.flatMap((step) => {
    const time = step.at === undefined ? "" : isoOf(step.at);
    const isNewDay = time !== "" && time.slice(0, 10) !== day;
    if (isNewDay) day = time.slice(0, 10);
    return [...(isNewDay ? [palette.faint(`  ${day}`)] : []), ...oneStep(step, time.slice(11, 19), palette)];
  });
}

function oneStep(step: StepReport, time: string, palette: Palette): string[] {
  const { good, bad, faint } = palette;
  if (step.skipped) return [faint(`  ${" ".repeat(8)}  - ${step.name}  (not run)`)];
  const mark = step.ok ? good("✓") : bad("✗");
  const line = `  ${faint(time.padEnd(8))}  ${mark} ${stepText(step, palette)}`;
  if (step.ok) return [line];
  const details = failureLines(step).map(([label, text]) => `        ${faint(label.padEnd(8))}  ${text}`);
  return [line, bad(`        ${locationText(step.place)}  ${step.message}`), ...details];
}

const SPEAKERS = { customer: "Customer", employee: "Employee", client: "Client" } as const;

function stepText(step: StepReport, { faint, strong }: Palette): string {
  const { said, name, note, latencyMs, rounds } = step;
  const round = rounds === undefined ? "" : faint(roundsText(step));
  if (said === undefined)
    return `${name}${note === undefined || note === "" ? "" : faint(`  ${note}`)}${round}`;
  const how = [
    ...(said.internal === true ? ["internal"] : []),
    ...(said.template === undefined ? [] : [`template ${said.template}`]),
    ...(latencyMs === undefined ? [] : [`after ${Math.round(latencyMs)} ms`]),
  ];
  return `${strong(`${SPEAKERS[said.who]}:`)} ${said.text}${how.length > 0 ? faint(`  (${how.join(", ")})`) : ""}${round}`;
}

const remarkLines = ({ remarks }: Report, { strong }: Palette): string[] =>
  remarks.length === 0
    ? []
    : [
        "",
        `  ${strong("Not tested")}`,
        ...remarks.map(({ place, message }) => `    ${locationText(place)}  ${message}`),
      ];

function evidenceLines({ transcript = "", journal = [], unexpected }: Report, { strong }: Palette): string[] {
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `  ${strong(title)}`, ...lines.map((line) => `    ${line}`.trimEnd())];
  return [
    ...part("Conversation", transcript === "" ? [] : transcript.split("\n")),
    ...part("Newest calls", journal.map(callText)),
    ...part("Calls that no step expected", unexpected.map(callText)),
  ];
}

const callText = ({ id, by, summary, body }: CallSummary): string =>
  `${id}: ${summary} by the ${by}${body === null || body === undefined ? "" : ` ${valueText(body)}`}`;

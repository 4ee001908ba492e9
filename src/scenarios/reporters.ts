/** Reports for people, TAP, JUnit and JSON. */
import { patternText, valueText } from "../client/misses.js";
import { omitUndefined } from "../kernel/objects.js";
import { jsonText, printable, printableIn } from "../kernel/printable.js";
import { isoOf } from "../kernel/realtime.js";
import { counted } from "../kernel/words.js";
import { firstFailure, mergedWarnings, siteText } from "./evidence.js";
import type { CallSummary, Report, ReportedMiss, StepLocation, StepReport } from "./report.js";

type PrettyOptions = { readonly color?: boolean };

export type Palette = ReturnType<typeof paletteOf>;

export const paletteOf = (color: boolean) => {
  const paint = (code: number) => (text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { good: paint(32), bad: paint(31), faint: paint(2), strong: paint(1) };
};

/** One scenario as a conversation on its clock, with evidence if it failed. */
export function prettyReport(written: Report, { color = false }: PrettyOptions = {}): string {
  const palette = paletteOf(color);
  const report = printableIn(written);
  const { ok, name, file = "", steps, durationMs, played } = report;
  const mark = played ? palette.faint("▸") : ok ? palette.good("✓") : palette.bad("✗");
  const where = [file, `${Math.round(durationMs)} ms`, played ? "played, expects nothing" : ""]
    .filter((part) => part !== "")
    .join("  ");
  return [
    `${mark} ${palette.strong(name)}${palette.faint(`  ${where}`)}`,
    ...(ok ? [] : [`  ${palette.bad(`Why: ${causeText(report)}`)}`]),
    ...steps.flatMap((step) => oneStep(step, palette)),
    ...evidenceLines(report, palette),
    "",
  ].join("\n");
}

/** Counts, and contract warnings by call site. */
export function prettySummary(written: readonly Report[], { color = false }: PrettyOptions = {}): string {
  const { good, bad, faint } = paletteOf(color);
  const reports = printableIn(written);
  const failed = reports.filter(({ ok }) => !ok).length;
  const played = reports.filter((report) => report.played).length;
  const passed = reports.length - failed - played;
  const counts = [
    failed > 0 && bad(`${failed} failed`),
    passed > 0 && good(`${passed} passed`),
    played > 0 && `${played} played`,
  ];
  const lines = [`${counted(reports.length, "scenario")}: ${counts.filter(Boolean).join(", ")}`];
  if (played > 0 && played === reports.length) lines.push("Nothing was tested: no step expects anything.");
  if (failed > 0) lines.push("", "Failed");
  for (const report of reports.filter(({ ok }) => !ok)) {
    const step = firstFailure(report.steps);
    const where = step === undefined ? "" : `  ${locationText(step.place)}  ${causeText(report)}`;
    lines.push(`  ${bad("✗")} ${report.name}${where}`);
  }
  const warnings = mergedWarnings(reports.flatMap((report) => report.warnings));
  if (warnings.length > 0) lines.push("", "Contract warnings");
  for (const warning of warnings) {
    const { code, message, section } = warning;
    lines.push(`  ${siteText(warning)}`, faint(`      ${code}: ${message} (specification: ${section})`));
  }
  return `${lines.join("\n")}\n`;
}

/** What was found out about a failure, else what its first step says. */
const causeText = ({ cause, steps }: Report): string => cause || (firstFailure(steps)?.message ?? "");

function oneStep(step: StepReport, palette: Palette): string[] {
  const { good, bad, faint } = palette;
  const time = step.at === undefined ? "" : isoOf(step.at).slice(11, 19);
  if (step.skipped) return [faint(`  ${" ".repeat(8)}  - ${step.name}  (not run)`)];
  const mark = step.ok ? good("✓") : bad("✗");
  const line = `  ${faint(time.padEnd(8))}  ${mark} ${stepText(step, palette)}`;
  if (step.ok) return [line];
  const details = failureLines(step).map(([label, text]) => `        ${faint(label.padEnd(8))}  ${text}`);
  return [line, bad(`        ${locationText(step.place)}  ${step.message}`), ...details];
}

const SPEAKERS = { customer: "Customer", employee: "Employee", client: "Bot" } as const;

function stepText(step: StepReport, { faint, strong }: Palette): string {
  const { said, name, note, latencyMs, rounds } = step;
  const round = rounds === undefined ? "" : faint(roundsText(step));
  if (said === undefined) return `${name}${note ? faint(`  ${note}`) : ""}${round}`;
  const how = [
    said.internal && "internal",
    said.template !== undefined && `template ${said.template}`,
    latencyMs !== undefined && `after ${Math.round(latencyMs)} ms`,
  ].filter(Boolean);
  const more = how.length > 0 ? faint(`  (${how.join(", ")})`) : "";
  return `${strong(`${SPEAKERS[said.who]}:`)} ${said.text}${more}${round}`;
}

/** What the run did not test, and after a failure what else was seen. */
function evidenceLines(report: Report, { strong }: Palette): string[] {
  const { ok, remarks, transcript = "", unexpected } = report;
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `  ${strong(title)}`, ...lines.map((line) => `    ${line}`.trimEnd())];
  const untested = remarks.map(({ place, message }) => `${locationText(place)}  ${message}`);
  return [
    ...part("Not tested", untested),
    ...(ok || transcript === "" ? [] : part("Conversation", transcript.split("\n"))),
    ...(ok ? [] : part("Calls that no step expected", unexpected.map(callText))),
  ];
}

const callText = ({ id, by, summary, body }: CallSummary): string =>
  `${id}: ${summary} by the ${by}${body === null || body === undefined ? "" : ` ${valueText(body)}`}`;

/** `file:line:column`, or the path if there is no file. */
export const locationText = ({ file, line, column, path }: StepLocation): string =>
  file === undefined ? path : `${file}:${line}:${column}`;

export const asText = (value: unknown): string =>
  typeof value === "string" ? printable(JSON.stringify(value)) : patternText(value);

/** Labelled lines about a failed step; a line without a label continues the one before. */
function failureLines(step: StepReport): [label: string, text: string][] {
  const { expected, seen, nearMisses = [] } = step;
  const lines: [string, string][] = [];
  if (expected !== undefined) lines.push(["expected", asText(expected)]);
  if (seen !== undefined) lines.push(["seen", asText(seen)]);
  for (const [index, miss] of nearMisses.entries())
    lines.push(...missLines(miss, index === 0 ? "nearest" : ""));
  return lines;
}

function missLines({ id, summary, differences }: ReportedMiss, label: string): [string, string][] {
  const width = Math.max(0, ...differences.map(({ path }) => path.length));
  return [
    [label, `${id === "" ? "" : `${id}: `}${summary}`],
    ...differences.map(({ path, expected, seen }): [string, string] => [
      "",
      `  ${path.padEnd(width)}  expected ${patternText(expected)}, seen ${valueText(seen)}`,
    ]),
  ];
}

function failureText(step: StepReport): string {
  const lines = failureLines(step).map(([label, text]) => `${label.padEnd(8)}  ${text}`.trimEnd());
  return [`${locationText(step.place)}  ${step.message}`, ...lines].join("\n");
}

/** ` [3.1]` */
const roundsText = ({ rounds }: StepReport): string => (rounds === undefined ? "" : ` [${rounds.join(".")}]`);

/** TAP 14: a subtest for each scenario, a test point for each step. */
function tapReports(reports: readonly Report[]): string {
  const lines = ["TAP version 14", `1..${reports.length}`];
  for (const [index, report] of printableIn(reports).entries()) {
    const points = [`1..${report.steps.length}`, ...report.steps.flatMap(testPoint)];
    lines.push(`# Subtest: ${report.name}`, ...points.map((line) => `    ${line}`));
    for (const { place, message } of report.remarks)
      lines.push(`    # not tested: ${locationText(place)}  ${message.replace(/\s+/g, " ")}`);
    if (report.played) lines.push("    # played: no step expects anything");
    lines.push(`${report.ok ? "ok" : "not ok"} ${index + 1} - ${tapEscaped(report.name)}`);
  }
  return `${lines.join("\n")}\n`;
}

function testPoint(step: StepReport, index: number): string[] {
  const title = `${index + 1} - ${tapEscaped(step.name)}`;
  if (step.skipped) return [`ok ${title} # SKIP an earlier step failed`];
  if (step.ok) return [`ok ${title}`];
  // JSON is YAML, and keeps text of several lines on one.
  const details = { message: step.message, at: locationText(step.place), details: failureText(step) };
  const lines = Object.entries(details).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [`not ok ${title}`, "  ---", ...lines, "  ..."];
}

const tapEscaped = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\#]/g, "\\$&");

/**
 * JUnit's XML, valid for the schema of Jenkins' xUnit plugin: a suite for each scenario, a case for each step. Class and
 * case names are unique over a run: what reads them keeps histories by them.
 */
function junitReports(written: readonly Report[]): string {
  const reports = printableIn(written);
  const { skipped: _, ...counts } = countsOf(reports.flatMap(({ steps }) => steps));
  const time = seconds(reports.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const names = new UniqueNames();
  const suites = reports.map((report) => testSuite(report, names.next(report.name)));
  const root = element("testsuites", { name: "messaging-sim", ...counts, time }, suites);
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...root, ""].join("\n");
}

function testSuite({ ok, file, steps, durationMs, transcript = "" }: Report, name: string): string[] {
  const names = new UniqueNames();
  const cases = steps.map((step) => testCase(step, names.next(step.name + roundsText(step)), name));
  const output = ok || transcript === "" ? [] : [element("system-out", {}, transcript)];
  const time = seconds(durationMs);
  return element("testsuite", { name, ...countsOf(steps), time, file }, [...cases, ...output]);
}

function testCase(step: StepReport, name: string, classname: string): string[] {
  const attributes = { name, classname, time: seconds(step.durationMs ?? 0) };
  if (step.skipped)
    return element("testcase", attributes, [element("skipped", { message: "an earlier step failed" })]);
  if (step.ok) return element("testcase", attributes);
  const failure = element("failure", { message: step.message ?? "" }, failureText(step));
  return element("testcase", attributes, [failure]);
}

/** Unique names in a scope: `log: x`, `log: x (2)`. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  next(name: string): string {
    let unique = name;
    for (let count = 2; this.#taken.has(unique); count += 1) unique = `${name} (${count})`;
    this.#taken.add(unique);
    return unique;
  }
}

function countsOf(steps: readonly StepReport[]) {
  const skipped = steps.filter((step) => step.skipped === true).length;
  const failures = steps.filter(({ ok }) => !ok).length - skipped;
  return { tests: steps.length, failures, errors: 0, skipped };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** The lines of an element: one if it holds text or nothing. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  inner?: string | readonly string[][],
): string[] {
  const written = Object.entries(omitUndefined(attributes)).map(
    ([key, value]) => ` ${key}="${xmlEscaped(String(value))}"`,
  );
  const head = `<${name}${written.join("")}`;
  if (inner === undefined) return [`${head}/>`];
  if (typeof inner === "string") return [`${head}>${xmlEscaped(inner)}</${name}>`];
  return [`${head}>`, ...inner.flat().map((line) => `  ${line}`), `</${name}>`];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** XML cannot express most control characters and lone surrogates. */
const xmlEscaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character);

export const REPORTERS = {
  pretty: (reports: readonly Report[]) =>
    [...reports.map((report) => prettyReport(report)), prettySummary(reports)].join("\n"),
  tap: tapReports,
  junit: junitReports,
  json: (reports: readonly Report[]) => jsonText({ ok: reports.every(({ ok }) => ok), scenarios: reports }),
} as const;

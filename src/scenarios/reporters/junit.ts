import type { Report, StepReport } from "../report.js";
import { failureText } from "./failure-text.js";

/** JUnit's XML: a suite for each scenario, a case for each step. */
export function junitReports(reports: readonly Report[]): string {
  const steps = reports.flatMap((report) => report.steps);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="messaging-sim" ${counts(steps)} time="${seconds(total(reports))}">`,
    ...reports.flatMap(testSuite),
    "</testsuites>",
    "",
  ].join("\n");
}

function testSuite(report: Report): string[] {
  const file = report.file === undefined ? "" : ` file="${escaped(report.file)}"`;
  const output = report.ok ? [] : systemOut(report);
  return [
    `  <testsuite name="${escaped(report.name)}" ${counts(report.steps)} time="${seconds(report.durationMs)}"${file}>`,
    ...report.steps.flatMap((step) => testCase(step, report.name)),
    ...output,
    "  </testsuite>",
  ];
}

function testCase(step: StepReport, suite: string): string[] {
  const { name, place, durationMs = 0 } = step;
  const at = place.file === undefined ? "" : ` file="${escaped(place.file)}" line="${place.line}"`;
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(suite)}" time="${seconds(durationMs)}"${at}`;
  if (step.skipped)
    return [`${head}>`, '      <skipped message="an earlier step failed"/>', "    </testcase>"];
  if (step.ok) return [`${head}/>`];
  const message = escaped(step.message ?? "");
  return [
    `${head}>`,
    `      <failure message="${message}">${escaped(failureText(step))}</failure>`,
    "    </testcase>",
  ];
}

const systemOut = ({ transcript = "" }: Report): string[] =>
  transcript === "" ? [] : [`    <system-out>${escaped(transcript)}</system-out>`];

function counts(steps: readonly StepReport[]): string {
  const skipped = steps.filter((step) => step.skipped === true).length;
  const failures = steps.filter((step) => !step.ok).length - skipped;
  return `tests="${steps.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

const total = (reports: readonly Report[]): number =>
  reports.reduce((sum, { durationMs }) => sum + durationMs, 0);
const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** XML has no way to write most control characters and lone halves of surrogate pairs. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character);

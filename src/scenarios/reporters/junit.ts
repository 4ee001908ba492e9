import { printableIn } from "../../kernel/printable.js";
import type { Report, StepReport } from "../report.js";
import { roundsText } from "../step-reports.js";
import { failureText } from "./failure-text.js";

/**
 * JUnit's XML, valid for the schema of Jenkins' xUnit plugin: a suite for each scenario, a case for each step. Class and
 * case names are unique over a run: what reads them keeps histories by them.
 */
export function junitReports(written: readonly Report[]): string {
  const reports = printableIn(written);
  const steps = reports.flatMap((report) => report.steps);
  const { tests, failures } = countsOf(steps);
  const suiteNames = new UniqueNames();
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="messaging-sim" tests="${tests}" failures="${failures}" errors="0" time="${seconds(total(reports))}">`,
    ...reports.flatMap((report) => testSuite(report, suiteNames.next(report.name))),
    "</testsuites>",
    "",
  ].join("\n");
}

function testSuite(report: Report, name: string): string[] {
  const file = report.file === undefined ? "" : ` file="${escaped(report.file)}"`;
  const output = report.ok ? [] : systemOut(report);
  const names = new UniqueNames();
  return [
    `  <testsuite name="${escaped(name)}" ${counts(report.steps)} time="${seconds(report.durationMs)}"${file}>`,
    ...report.steps.flatMap((step) => testCase(step, names.next(caseName(step)), name)),
    ...output,
    "  </testsuite>",
  ];
}

const caseName = (step: StepReport): string => step.name + roundsText(step);

/** Names in a scope, each told apart from those before it: `log: x`, `log: x (2)`. */
class UniqueNames {
  readonly #taken = new Set<string>();

  next(name: string): string {
    let unique = name;
    for (let count = 2; this.#taken.has(unique); count += 1) unique = `${name} (${count})`;
    this.#taken.add(unique);
    return unique;
  }
}

function testCase(step: StepReport, name: string, suite: string): string[] {
  const { durationMs = 0 } = step;
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(suite)}" time="${seconds(durationMs)}"`;
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

function countsOf(steps: readonly StepReport[]) {
  const skipped = steps.filter((step) => step.skipped === true).length;
  return { tests: steps.length, failures: steps.filter((step) => !step.ok).length - skipped, skipped };
}

function counts(steps: readonly StepReport[]): string {
  const { tests, failures, skipped } = countsOf(steps);
  return `tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}"`;
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

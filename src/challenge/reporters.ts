/** Challenges for readers: in a terminal, as JSON, as test cases for CI, as one HTML page. */

import { patternText } from "../client/misses.js";
import { escapedHtml, htmlPage, htmlTable } from "../kernel/html.js";
import { printable, printableIn, printableLines } from "../kernel/printable.js";
import { counted } from "../kernel/words.js";
import type { Report, StepReport } from "../scenarios/report.js";
import { locationText } from "../scenarios/reporters/failure-text.js";
import { REPORTERS } from "../scenarios/reporters/index.js";
import { paletteOf } from "../scenarios/reporters/pretty.js";
import type { Cause, ChallengeReport, ChallengeResult } from "./report.js";
import { sideBySide } from "./side-by-side.js";

interface PrettyOptions {
  /** With colours of a terminal. */
  readonly color?: boolean;
  /** Each challenge by itself too. */
  readonly verbose?: boolean;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? printable(JSON.stringify(value)) : patternText(value);

type Details = readonly (readonly [label: string, text: string])[];

/** What is known of a break, each a label and a text. */
const detailsOf = (result: ChallengeResult): Details => {
  const { about, message, place, step, expected, seen, why, remedy, repeat } = result;
  return [
    ["changed", about],
    ["step", step],
    ["place", place && locationText(place)],
    ["broke", message],
    ["expected", expected === undefined ? undefined : asText(expected)],
    ["seen", seen === undefined ? undefined : asText(seen)],
    ["why", why],
    ["remedy", remedy],
    ["again", `messaging-sim challenge ${repeat}`],
  ].flatMap(([label = "", text]) => (text === undefined ? [] : [[label, text]]));
};

/** How many names stand in a line. */
const MAX_NAMES = 6;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`;

const exampleOf = ({ challenges }: ChallengeReport, { example }: Cause): ChallengeResult =>
  challenges.find(
    ({ name, scenario, verdict }) =>
      verdict === "broke" && name === example.name && scenario === example.scenario,
  ) as ChallengeResult;

/** What is known of a cause: where it showed, and all that there is to know of one example. */
const causeDetails = ({ challenges, scenarios, example }: Cause, shown: ChallengeResult): Details => [
  ["by", listed(challenges)],
  ["in", listed(scenarios)],
  ...(challenges.length * scenarios.length > 1
    ? [["example", `${example.name} in ${example.scenario}`] as const]
    : []),
  ...detailsOf(shown),
];

const indented = (details: Details, result: ChallengeResult, faint: (text: string) => string): string[] => {
  const { transcript, unchanged } = result;
  const both =
    transcript === undefined || unchanged === undefined
      ? []
      : sideBySide(["unchanged", unchanged], ["challenged", transcript]);
  return [...details.map(([label, text]) => `${faint(label.padEnd(9))} ${text}`), ...both].map(
    (line) => `    ${line}`,
  );
};

/** A challenge in a line; a break with all that there is to know of it (`--verbose`). */
export function prettyResult(written: ChallengeResult, { color = false }: PrettyOptions = {}): string {
  const { good, bad, faint, strong } = paletteOf(color);
  const result = printableIn(written);
  const { verdict, name, scenario } = result;
  const tail = faint(`  ${scenario}`);
  if (verdict === "held") return `${good("✓")} ${name}${tail}\n`;
  const head = verdict === "broke" ? `${bad("✗")} ${strong(name)}` : `${faint("~")} ${name}  ${verdict}`;
  const { transcript: _, ...brief } = result;
  const details = indented(detailsOf(result), verdict === "broke" ? result : brief, faint);
  return `${[head + tail, ...details].join("\n")}\n`;
}

/** A scenario in a line: how many of its challenges came to what. */
export function prettyScenario(
  { name: scenario, ok }: Report,
  results: readonly ChallengeResult[],
  { color = false }: PrettyOptions = {},
): string {
  const { good, bad } = paletteOf(color);
  const name = printable(scenario);
  if (!ok) return `${bad("✗")} ${name}: fails without any challenge\n`;
  const isBroken = results.some(({ verdict }) => verdict === "broke");
  return `${isBroken ? bad("✗") : good("✓")} ${name}: ${verdictCounts(results)}\n`;
}

function prettyCause(report: ChallengeReport, cause: Cause, { color = false }: PrettyOptions): string {
  const { bad, faint, strong } = paletteOf(color);
  const shown = exampleOf(report, cause);
  const head = `${bad("✗")} ${strong(cause.kind)}: ${cause.broke}  ${faint(causeCount(cause))}`;
  return `${["", head, ...indented(causeDetails(cause, shown), shown, faint)].join("\n")}\n`;
}

const causeCount = ({ breaks, scenarios }: Cause): string =>
  `${counted(breaks, "break")} in ${counted(scenarios.length, "scenario")}`;

/** `12 challenges: 9 held, 2 broke, 1 tolerated` */
function verdictCounts(challenges: readonly ChallengeResult[]): string {
  const verdicts = ["held", "broke", "tolerated", "accepted"] as const;
  const parts = verdicts.flatMap((verdict) => {
    const count = challenges.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return `${counted(challenges.length, "challenge")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** `12 challenges: 9 held, 3 broke from 2 causes; 3 not tried; 1 scenario fails without any` */
function summaryLine({ challenges, notTried, causes, unchanged }: ChallengeReport): string {
  const failing = unchanged.filter(({ ok }) => !ok).length;
  return [
    `${verdictCounts(challenges)}${causes.length === 0 ? "" : `, from ${counted(causes.length, "cause")}`}`,
    ...(notTried.length === 0 ? [] : [`${notTried.length} not tried`]),
    ...(failing === 0
      ? []
      : [`${counted(failing, "scenario")} ${failing === 1 ? "fails" : "fail"} without any`]),
  ].join("; ");
}

/** The end of a report: what broke by its causes, what was not tried and why, and the sum. */
export function prettySummary(
  written: ChallengeReport,
  { color = false, verbose = false }: PrettyOptions = {},
): string {
  const report = printableIn(written);
  const { faint } = paletteOf(color);
  const causes = report.causes.map((cause) => prettyCause(report, cause, { color }));
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of report.notTried) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  const lines = [...reasons].map(([reason, names]) => {
    const all = [...new Set(names)];
    return faint(`- not tried, ${reason}: ${verbose ? all.join(", ") : listed(all)}`);
  });
  const gap = causes.length === 0 ? [] : [""];
  return `${causes.join("")}${[...gap, ...lines, summaryLine(report), ""].join("\n")}`;
}

const prettyReport = (report: ChallengeReport, options: PrettyOptions = {}): string => {
  const of = ({ name }: Report) => report.challenges.filter(({ scenario }) => scenario === name);
  const lines = options.verbose
    ? report.challenges.map((result) => prettyResult(result, options))
    : report.unchanged.map((unchanged) => prettyScenario(unchanged, of(unchanged), options));
  return lines.join("") + prettySummary(report, options);
};

/** Each scenario as a suite, each challenge as a case of it. */
function asReports({ challenges, notTried, unchanged }: ChallengeReport): Report[] {
  return unchanged.map((report) => {
    const of = <R extends { readonly scenario: string }>(rows: readonly R[]) =>
      rows.filter(({ scenario }) => scenario === report.name);
    const place = report.file === undefined ? { path: "steps" } : { file: report.file, path: "steps" };
    const steps: StepReport[] = [
      ...of(challenges).map((result) => ({
        ...{
          name: result.name,
          step: "challenge",
          ok: result.verdict !== "broke",
          durationMs: result.durationMs,
        },
        place: result.place ?? place,
        ...(result.held
          ? {}
          : {
              message: `${result.message} (${result.about})`,
              expected: result.expected,
              seen: result.seen,
            }),
      })),
      ...of(notTried).map(({ name }) => ({ name, step: "challenge", ok: false, skipped: true, place })),
    ];
    const failed = report.steps.filter(({ ok }) => !ok);
    const all = report.ok ? steps : [...failed, ...steps];
    return { ...report, ok: all.every(({ ok, skipped }) => ok || skipped), steps: all };
  });
}

const htmlDetails = (details: Details, { transcript, unchanged }: ChallengeResult): string => {
  const rows = details.map(([label, text]) => `<dt>${escapedHtml(label)}</dt><dd>${escapedHtml(text)}</dd>`);
  const both =
    transcript === undefined || unchanged === undefined
      ? ""
      : htmlTable(
          ["unchanged", "challenged"],
          [[unchanged, transcript].map((text) => `<pre>${escapedHtml(text)}</pre>`)],
        );
  return `<dl>${rows.join("")}</dl>${both}`;
};

const folded = (summary: string, inside: string, open = false): string =>
  `<details${open ? " open" : ""}><summary>${summary}</summary>${inside}</details>`;

function htmlReport(report: ChallengeReport): string {
  const causes = report.causes.map((cause) => {
    const shown = exampleOf(report, cause);
    const head = `<span class="bad">${escapedHtml(cause.kind)}</span>: ${escapedHtml(`${cause.broke}, ${causeCount(cause)}`)}`;
    return folded(head, htmlDetails(causeDetails(cause, shown), shown), true);
  });
  const rows = report.challenges.map((result) => {
    const { verdict, name, scenario, held } = result;
    const shown = held
      ? escapedHtml(name)
      : folded(escapedHtml(name), htmlDetails(detailsOf(result), result));
    const said = verdict === "broke" ? `<span class="bad">${verdict}</span>` : verdict;
    return [shown, said, escapedHtml(scenario)];
  });
  const failing = report.unchanged.filter(({ ok }) => !ok);
  const left = report.notTried.map((row) => [row.name, row.scenario, row.reason].map(escapedHtml));
  return htmlPage({
    title: summaryLine(report),
    body: [
      ...failing.map(({ name }) => `<p class="bad">${escapedHtml(name)} fails without any challenge.</p>`),
      ...(causes.length === 0 ? [] : ["<h2>Causes</h2>", ...causes, "<h2>Challenges</h2>"]),
      htmlTable(["challenge", "verdict", "scenario"], rows),
      ...(left.length === 0
        ? []
        : ["<h2>Not tried</h2>", htmlTable(["challenge", "scenario", "reason"], left)]),
    ],
  });
}

export const CHALLENGE_REPORTERS = {
  pretty: prettyReport,
  tap: (report: ChallengeReport) => REPORTERS.tap(asReports(report)),
  junit: (report: ChallengeReport) => REPORTERS.junit(asReports(report)),
  json: (report: ChallengeReport) => printableLines(`${JSON.stringify(report, null, 2)}\n`),
  html: htmlReport,
} as const;

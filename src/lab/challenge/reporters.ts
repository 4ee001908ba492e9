/** Reports of challenges: in a terminal, as JSON, as test cases for CI, as an HTML page. */
import { patternText } from "../../client/misses.js";
import { printable, printableIn } from "../../kernel/printable.js";
import type { Content } from "../../kernel/reports.js";
import { html, htmlDetails, htmlPage, htmlTable, jsonText } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { Report, StepReport } from "../../scenarios/report.js";
import { locationText, paletteOf, REPORTERS } from "../../scenarios/reporters.js";
import type { Cause, ChallengeReport, ChallengeResult } from "./report.js";

interface PrettyOptions {
  /** With terminal colours. */
  readonly color?: boolean;
  /** Lists each challenge. */
  readonly verbose?: boolean;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? printable(JSON.stringify(value)) : patternText(value);

type Details = readonly (readonly [label: string, text: string])[];

/** The details of a break, with labels. */
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

/** Where a cause showed, and the details of one example. */
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

/** One line for a challenge; a break with its details (`--verbose`). */
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

/** One line for a scenario, with the verdicts of its challenges. */
export function prettyScenario(
  { name: scenario, ok }: Report,
  results: readonly ChallengeResult[],
  { color = false }: PrettyOptions = {},
): string {
  const { good, bad } = paletteOf(color);
  const name = printable(scenario);
  if (!ok) return `${bad("✗")} ${name}: fails unchallenged\n`;
  const isBroken = results.some(({ verdict }) => verdict === "broke");
  return `${isBroken ? bad("✗") : good("✓")} ${name}: ${verdictCounts(results)}\n`;
}

function prettyCause(report: ChallengeReport, cause: Cause, { color = false }: PrettyOptions): string {
  const { bad, faint, strong } = paletteOf(color);
  const shown = exampleOf(report, cause);
  const head = `${bad("✗")} ${strong(cause.kind)}: ${cause.broke}  ${faint(causeCount(cause))}`;
  return `${["", head, bad(`  Why: ${sentenceOf(shown)}`), ...indented(causeDetails(cause, shown), shown, faint)].join("\n")}\n`;
}

/** `When each delivery comes twice (message.customer), the system under test exited: exit code 1` */
function sentenceOf({ name, about, message = "it broke" }: ChallengeResult): string {
  const [, where, change] = /^([\w.]+): (.*)$/s.exec(about) ?? [];
  return change === undefined ? `With ${name}, ${message}` : `When ${change} (${where}), ${message}`;
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

/** `12 challenges: 9 held, 3 broke from 2 causes; 3 not tried; 1 scenario fails unchallenged` */
function summaryLine({ challenges, notTried, causes, unchanged }: ChallengeReport): string {
  const failing = unchanged.filter(({ ok }) => !ok).length;
  return [
    `${verdictCounts(challenges)}${causes.length === 0 ? "" : `, from ${counted(causes.length, "cause")}`}`,
    ...(notTried.length === 0 ? [] : [`${notTried.length} not tried`]),
    ...(failing === 0
      ? []
      : [`${counted(failing, "scenario")} ${failing === 1 ? "fails" : "fail"} unchallenged`]),
  ].join("; ");
}

/** The end of a report: causes, challenges not tried and why, and the totals. */
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

/** Each scenario as a suite, each challenge as a test case. */
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

const htmlOf = (details: Details, { transcript, unchanged }: ChallengeResult): Content[] => [
  html`<dl>${details.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`,
  transcript === undefined || unchanged === undefined
    ? []
    : htmlTable(
        ["unchanged", "challenged"],
        [[unchanged, transcript].map((text) => html`<pre>${text}</pre>`)],
      ),
];

function htmlReport(report: ChallengeReport): string {
  const causes = report.causes.map((cause) => {
    const shown = exampleOf(report, cause);
    const head = html`<span class="bad">${cause.kind}</span>: ${`${cause.broke}, ${causeCount(cause)}`}`;
    return htmlDetails(head, htmlOf(causeDetails(cause, shown), shown), true);
  });
  const rows = report.challenges.map((result) => {
    const { verdict, name, scenario, held } = result;
    const shown = held ? name : htmlDetails(name, htmlOf(detailsOf(result), result));
    return [shown, verdict === "broke" ? html`<span class="bad">${verdict}</span>` : verdict, scenario];
  });
  const failing = report.unchanged.filter(({ ok }) => !ok);
  const notTried = report.notTried.map(({ name, scenario, reason }) => [name, scenario, reason]);
  return htmlPage({
    title: summaryLine(report),
    body: [
      ...failing.map(
        (unchanged) => html`<p class="bad">${unchanged.name} fails unchallenged.</p>
<pre>${REPORTERS.pretty([unchanged])}</pre>`,
      ),
      causes.length === 0 ? [] : [html`<h2>Causes</h2>`, ...causes, html`<h2>Challenges</h2>`],
      htmlTable(["challenge", "verdict", "scenario"], rows),
      notTried.length === 0
        ? []
        : [html`<h2>Not tried</h2>`, htmlTable(["challenge", "scenario", "reason"], notTried)],
    ],
  });
}

export const CHALLENGE_REPORTERS = {
  pretty: prettyReport,
  tap: (report: ChallengeReport) => REPORTERS.tap(asReports(report)),
  junit: (report: ChallengeReport) => REPORTERS.junit(asReports(report)),
  json: jsonText as (report: ChallengeReport) => string,
  html: htmlReport,
} as const;

const WIDTH = 58;

type Column = readonly [head: string, text: string];

const wrapped = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => line.match(new RegExp(`.{1,${WIDTH}}`, "gu")) ?? [""]);

/** Leaves out equal lines from so many on. */
const MIN_ALIKE = 3;

/** Ids and times differ in every run. */
const shapeOf = (line: string | undefined): string | undefined => line?.replace(/\d+/g, "#");

/** Two texts beside each other, without what they have in common. */
function sideBySide(left: Column, right: Column): string[] {
  const [a, b] = [wrapped(left[1]), wrapped(right[1])];
  const row = (one = "", other = "") => `${one.padEnd(WIDTH)} | ${other}`.trimEnd();
  const rows = [row(left[0], right[0]), row("-".repeat(left[0].length), "-".repeat(right[0].length))];
  if (a.map(shapeOf).join() === b.map(shapeOf).join()) return [];
  const { length } = a.length > b.length ? a : b;
  for (let at = 0; at < length; ) {
    let end = at;
    while (end < length && shapeOf(a[end]) === shapeOf(b[end])) end += 1;
    if (end - at >= MIN_ALIKE) {
      rows.push(row(...[`(${end - at} lines alike)`, `(${end - at} lines alike)`]));
      at = end;
    }
    for (const stop = Math.max(end, at + 1); at < stop && at < length; at += 1) rows.push(row(a[at], b[at]));
  }
  return rows;
}

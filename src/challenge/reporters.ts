/** Challenges for readers: in a terminal, as JSON, as test cases for CI, as one HTML page. */
import { patternText } from "../client/misses.js";
import { escapedHtml, htmlPage, htmlTable } from "../kernel/html.js";
import { counted } from "../kernel/words.js";
import type { Report, StepReport } from "../scenarios/report.js";
import { locationText } from "../scenarios/reporters/failure-text.js";
import { REPORTERS } from "../scenarios/reporters/index.js";
import { paletteOf } from "../scenarios/reporters/pretty.js";
import type { ChallengeReport, ChallengeResult } from "./report.js";
import { sideBySide } from "./side-by-side.js";

interface PrettyOptions {
  /** With colours of a terminal. */
  readonly color?: boolean;
}

const asText = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : patternText(value);

/** What is known of a break, each a label and a text. */
const detailsOf = ({ about, message, place, step, expected, seen, why, remedy, repeat }: ChallengeResult) =>
  [
    ["changed", about],
    ["step", step],
    ["place", place && locationText(place)],
    ["broke", message],
    ["expected", expected === undefined ? undefined : asText(expected)],
    ["seen", seen === undefined ? undefined : asText(seen)],
    ["why", why],
    ["remedy", remedy],
    ["again", `messaging-sim challenge ${repeat}`],
  ].flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as [string, string]]));

/** A challenge in a line; a break with all that there is to know of it. */
export function prettyResult(result: ChallengeResult, { color = false }: PrettyOptions = {}): string {
  const { good, bad, faint, strong } = paletteOf(color);
  const { verdict, name, scenario, transcript, unchanged } = result;
  const tail = faint(`  ${scenario}`);
  if (verdict === "held") return `${good("✓")} ${name}${tail}\n`;
  const head = verdict === "broke" ? `${bad("✗")} ${strong(name)}` : `${faint("~")} ${name}  ${verdict}`;
  const details = detailsOf(result).map(([label, text]) => `    ${faint(label.padEnd(9))} ${text}`);
  const both =
    verdict !== "broke" || transcript === undefined || unchanged === undefined
      ? []
      : sideBySide(["unchanged", unchanged], ["challenged", transcript]).map((line) => `    ${line}`);
  return `${[head + tail, ...details, ...both].join("\n")}\n`;
}

/** `12 challenges: 9 held, 2 broke, 1 tolerated; 3 left out` */
function summaryLine({ challenges, leftOut }: ChallengeReport): string {
  const verdicts = ["held", "broke", "tolerated", "accepted"] as const;
  const parts = verdicts.flatMap((verdict) => {
    const count = challenges.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const left = leftOut.length === 0 ? "" : `; ${leftOut.length} left out`;
  return `${counted(challenges.length, "challenge")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}${left}`;
}

/** The end of a report: what was left out and why, each reason once, and the sum. */
export function prettySummary(report: ChallengeReport, { color = false }: PrettyOptions = {}): string {
  const { faint } = paletteOf(color);
  const reasons = new Map<string, string[]>();
  for (const { name, why } of report.leftOut) reasons.set(why, [...(reasons.get(why) ?? []), name]);
  const lines = [...reasons].map(([why, names]) =>
    faint(`- left out, ${why}: ${[...new Set(names)].join(", ")}`),
  );
  return `${[...lines, summaryLine(report), ""].join("\n")}`;
}

const prettyReport = (report: ChallengeReport, options: PrettyOptions = {}): string =>
  report.challenges.map((result) => prettyResult(result, options)).join("") + prettySummary(report, options);

/** Each scenario as a suite, each challenge as a case of it. */
function asReports({ challenges, leftOut, unchanged }: ChallengeReport): Report[] {
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
      ...of(leftOut).map(({ name }) => ({ name, step: "challenge", ok: false, skipped: true, place })),
    ];
    const failed = report.steps.filter(({ ok }) => !ok);
    const all = report.ok ? steps : [...failed, ...steps];
    return { ...report, ok: all.every(({ ok, skipped }) => ok || skipped), steps: all };
  });
}

function htmlReport(report: ChallengeReport): string {
  const rows = report.challenges.map((result) => {
    const { verdict, name, scenario, transcript, unchanged } = result;
    const details = detailsOf(result).map(
      ([label, text]) => `<dt>${escapedHtml(label)}</dt><dd>${escapedHtml(text)}</dd>`,
    );
    const both =
      transcript === undefined || unchanged === undefined
        ? ""
        : htmlTable(
            ["unchanged", "challenged"],
            [[unchanged, transcript].map((text) => `<pre>${escapedHtml(text)}</pre>`)],
          );
    const shown = result.held
      ? escapedHtml(name)
      : `<details${verdict === "broke" ? " open" : ""}><summary>${escapedHtml(name)}</summary><dl>${details.join("")}</dl>${both}</details>`;
    const said = verdict === "broke" ? `<span class="bad">${verdict}</span>` : verdict;
    return [shown, said, escapedHtml(scenario)];
  });
  const left = report.leftOut.map((row) => [row.name, row.scenario, row.why].map(escapedHtml));
  return htmlPage({
    title: summaryLine(report),
    body: [
      htmlTable(["challenge", "verdict", "scenario"], rows),
      ...(left.length === 0 ? [] : ["<h2>Left out</h2>", htmlTable(["challenge", "scenario", "why"], left)]),
    ],
  });
}

export const CHALLENGE_REPORTERS = {
  pretty: (report: ChallengeReport) => prettyReport(report),
  tap: (report: ChallengeReport) => REPORTERS.tap(asReports(report)),
  junit: (report: ChallengeReport) => REPORTERS.junit(asReports(report)),
  json: (report: ChallengeReport) => `${JSON.stringify(report, null, 2)}\n`,
  html: htmlReport,
} as const;

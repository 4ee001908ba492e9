/** Reports of challenges: in a terminal, as JSON, as test cases for CI. */
import { countsOf, getOrInsert, omitUndefined } from "../../kernel/objects.js";
import { printable, printableIn } from "../../kernel/printable.js";
import { jsonText } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { Report, StepReport } from "../../scenarios/report.js";
import { asText, locationText, paletteOf, REPORTERS } from "../../scenarios/reporters.js";
import type { ChallengeReport, ChallengeResult } from "./report.js";
import { EXITED, VERDICTS } from "./report.js";
import { kindOfName } from "./table.js";

interface PrettyOptions {
  /** With terminal colours. */
  readonly color?: boolean;
  /** Lists each challenge. */
  readonly verbose?: boolean;
}

type Details = readonly (readonly [label: string, text: string])[];

/** The details of a break, with labels. */
function detailsOf(result: ChallengeResult): Details {
  const { about, message, place, step, expected, seen, why, remedy, name } = result;
  const details = {
    changed: about,
    step,
    place: place && locationText(place),
    broke: message,
    expected: expected === undefined ? undefined : asText(expected),
    seen: seen === undefined ? undefined : asText(seen),
    why,
    remedy,
    again: `the same command with --only '${name}'`,
  };
  return Object.entries<string>(omitUndefined(details));
}

const MAX_NAMES = 6;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`;

/** Details, and the conversations. */
const indented = (
  details: Details,
  transcript: string | undefined,
  faint: (text: string) => string,
): string[] =>
  [
    ...details.map(([label, text]) => `${faint(label.padEnd(9))} ${text}`),
    ...(transcript ?? "").split("\n").filter((line) => line.trim() !== ""),
  ].map((line) => `    ${line}`);

/** One line for a challenge; a break with its details (`--verbose`). */
export function prettyResult(written: ChallengeResult, { color = false }: PrettyOptions = {}): string {
  const { good, bad, faint, strong } = paletteOf(color);
  const result = printableIn(written);
  const { verdict, name, scenario } = result;
  const tail = faint(`  ${scenario}`);
  if (verdict === "held") return `${good("✓")} ${name}${tail}\n`;
  const head = verdict === "broke" ? `${bad("✗")} ${strong(name)}` : `${faint("~")} ${name}  ${verdict}`;
  const details = indented(detailsOf(result), verdict === "broke" ? result.transcript : undefined, faint);
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
  if (!ok) return `${bad("✗")} ${name}: fails unchanged\n`;
  const isBroken = results.some(({ verdict }) => verdict === "broke");
  return `${isBroken ? bad("✗") : good("✓")} ${name}: ${verdictCounts(results)}\n`;
}

/** Breaks of one kind with one effect. */
type Cause = readonly [ChallengeResult, ...ChallengeResult[]];

/** The causes of unexpected breaks, worst first: those that end the program, then those that break most. */
function causesOf({ challenges }: ChallengeReport): Cause[] {
  const groups = new Map<string, ChallengeResult[]>();
  for (const result of challenges.filter(({ verdict }) => verdict === "broke"))
    getOrInsert(groups, `${kindOfName(result.name)}\n${result.broke}`, () => []).push(result);
  const weight = ([{ broke }, ...others]: Cause) => (broke === EXITED ? 1_000_000 : 0) + others.length;
  return ([...groups.values()] as unknown as Cause[]).sort((a, b) => weight(b) - weight(a));
}

/** Where a cause showed, and one example. */
function prettyCause(cause: Cause, { color = false }: PrettyOptions): string {
  const { bad, faint, strong } = paletteOf(color);
  const [example] = cause;
  const names = [...new Set(cause.map(({ name }) => name))];
  const scenarios = [...new Set(cause.map(({ scenario }) => scenario))];
  const count = `${counted(cause.length, "break")} in ${counted(scenarios.length, "scenario")}`;
  const where: Details = [
    ["by", listed(names)],
    ["in", listed(scenarios)],
  ];
  const which = `${example.name} in ${example.scenario}`;
  const details: Details = cause.length > 1 ? [...where, ["example", which]] : where;
  const head = `${bad("✗")} ${strong(kindOfName(example.name))}: ${example.broke}  ${faint(count)}`;
  const lines = indented([...details, ...detailsOf(example)], example.transcript, faint);
  return `${["", head, ...lines].join("\n")}\n`;
}

/** `12 challenges: 9 held, 2 broke, 1 tolerated` */
function verdictCounts(challenges: readonly ChallengeResult[]): string {
  const counts = countsOf(challenges.map(({ verdict }) => verdict));
  const parts = VERDICTS.filter((verdict) => counts.has(verdict)).map(
    (verdict) => `${counts.get(verdict)} ${verdict}`,
  );
  return [counted(challenges.length, "challenge"), parts.join(", ")].filter(Boolean).join(": ");
}

/** `12 challenges: 9 held, 3 broke, from 2 causes; 3 not tried; 1 scenario fails unchanged` */
function summaryLine({ challenges, notTried, unchanged }: ChallengeReport, causes: number): string {
  const failing = unchanged.filter(({ ok }) => !ok).length;
  const from = causes === 0 ? "" : `, from ${counted(causes, "cause")}`;
  return [
    `${verdictCounts(challenges)}${from}`,
    notTried.length > 0 && `${notTried.length} not tried`,
    failing > 0 && `${counted(failing, "scenario")} ${failing === 1 ? "fails" : "fail"} unchanged`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** The end of a report: causes, challenges not tried and why, and the totals. */
export function prettySummary(
  written: ChallengeReport,
  { color = false, verbose = false }: PrettyOptions = {},
): string {
  const report = printableIn(written);
  const { faint } = paletteOf(color);
  const causes = causesOf(report).map((cause) => prettyCause(cause, { color }));
  const reasons = new Map<string, Set<string>>();
  for (const { name, reason } of report.notTried) getOrInsert(reasons, reason, () => new Set()).add(name);
  const lines = [...reasons].map(([reason, names]) =>
    faint(`- not tried, ${reason}: ${verbose ? [...names].join(", ") : listed([...names])}`),
  );
  const gap = causes.length === 0 ? [] : [""];
  return `${causes.join("")}${[...gap, ...lines, summaryLine(report, causes.length), ""].join("\n")}`;
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
      ...of(challenges).map(
        ({ name, verdict, durationMs, held, message, about, expected, seen, ...result }) => ({
          ...{ name, step: "challenge", ok: verdict !== "broke", durationMs, place: result.place ?? place },
          ...(!held && { message: `${message} (${about})`, expected, seen }),
        }),
      ),
      ...of(notTried).map(({ name }) => ({ name, step: "challenge", ok: false, skipped: true, place })),
    ];
    const failed = report.steps.filter(({ ok }) => !ok);
    const all = report.ok ? steps : [...failed, ...steps];
    return { ...report, ok: all.every(({ ok, skipped }) => ok || skipped), steps: all };
  });
}

export const CHALLENGE_REPORTERS = {
  pretty: prettyReport,
  tap: (report: ChallengeReport) => REPORTERS.tap(asReports(report)),
  junit: (report: ChallengeReport) => REPORTERS.junit(asReports(report)),
  json: jsonText as (report: ChallengeReport) => string,
} as const;

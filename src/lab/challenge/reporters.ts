/** Reports of challenges: in a terminal, as JSON, as test cases for CI. */
import { countsOf, getOrInsert, omitUndefined } from "../../kernel/objects.js";
import { jsonText, printableIn } from "../../kernel/printable.js";
import { counted } from "../../kernel/words.js";
import type { Report, StepReport } from "../../scenarios/report.js";
import { asText, locationText, paletteOf, REPORTERS } from "../../scenarios/reporters.js";
import type { ChallengeReport, ChallengeResult, Verdict } from "./report.js";
import { kindOfName } from "./table.js";

type PrettyOptions = { readonly color?: boolean };

/** Verdicts in the words of a run's summary. */
const WORDS = {
  broke: "failed",
  held: "passed",
  tolerated: "tolerated",
  accepted: "accepted",
} as const satisfies Readonly<Record<Verdict, string>>;

/** `12 challenges: 2 failed, 9 passed, 1 tolerated` */
function verdictCounts(challenges: readonly ChallengeResult[]): string {
  const counts = countsOf(challenges.map(({ verdict }) => verdict));
  const parts = Object.entries(WORDS).flatMap(([verdict, word]) => {
    const count = counts.get(verdict as Verdict);
    return count === undefined ? [] : `${count} ${word}`;
  });
  return [counted(challenges.length, "challenge"), parts.join(", ")].filter(Boolean).join(": ");
}

/** Breaks of one kind, one that ended the program first. */
type Cause = readonly [ChallengeResult, ...ChallengeResult[]];

/** The unexpected breaks by kind, worst first: those that ended the program, then those that broke most. */
function causesOf({ challenges }: ChallengeReport): Cause[] {
  const groups = new Map<string, ChallengeResult[]>();
  const isMild = ({ exited }: ChallengeResult) => (exited ? 0 : 1);
  const broken = challenges.filter(({ verdict }) => verdict === "broke");
  for (const result of broken.sort((a, b) => isMild(a) - isMild(b)))
    getOrInsert(groups, kindOfName(result.name), () => []).push(result);
  const causes = [...groups.values()] as unknown as Cause[];
  return causes.sort((a, b) => isMild(a[0]) - isMild(b[0]) || b.length - a.length);
}

const listed = (all: Iterable<string>): string => [...new Set(all)].join(", ");

/** Where a cause showed, and one example with its conversation. */
function prettyCause(cause: Cause, { color = false }: PrettyOptions): string {
  const { bad, faint, strong } = paletteOf(color);
  const [example] = cause;
  const { name, scenario, place, expected, seen, transcript = "" } = example;
  const scenarios = new Set(cause.map((each) => each.scenario));
  const details = omitUndefined({
    by: listed(cause.map((each) => each.name)),
    in: listed(scenarios),
    example: cause.length > 1 ? `${name} in ${scenario}` : undefined,
    changed: example.about,
    step: example.step,
    place: place && locationText(place),
    broke: example.message,
    expected: expected === undefined ? undefined : asText(expected),
    seen: seen === undefined ? undefined : asText(seen),
    why: example.why,
    remedy: example.remedy,
    again: `the same command with --only '${name}'`,
  });
  const count = `${counted(cause.length, "break")} in ${counted(scenarios.size, "scenario")}`;
  const lines = [
    ...Object.entries<string>(details).map(([label, text]) => `${faint(label.padEnd(9))} ${text}`),
    ...transcript.split("\n").filter((line) => line.trim() !== ""),
  ];
  const head = `${bad("✗")} ${strong(kindOfName(name))}  ${faint(count)}`;
  return `${["", head, ...lines.map((line) => `    ${line}`)].join("\n")}\n`;
}

/** The end of a report: causes, challenges not tried and why, and the totals. */
function summaryOf(report: ChallengeReport, color: boolean): string {
  const { faint } = paletteOf(color);
  const causes = causesOf(report);
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of report.notTried) getOrInsert(reasons, reason, () => []).push(name);
  const skipped = [...reasons].map(([reason, names]) => faint(`- skipped, ${reason}: ${listed(names)}`));
  const failing = report.unchanged.filter(({ ok }) => !ok).length;
  const totals = [
    verdictCounts(report.challenges),
    report.notTried.length > 0 && `; ${report.notTried.length} skipped`,
    failing > 0 && `; ${counted(failing, "scenario")} ${failing === 1 ? "fails" : "fail"} unchanged`,
  ];
  const gap = causes.length === 0 ? [] : [""];
  const lines = [...gap, ...skipped, totals.filter(Boolean).join(""), ""];
  return causes.map((cause) => prettyCause(cause, { color })).join("") + lines.join("\n");
}

/** A line for each scenario, and the summary. */
export function prettyReport(written: ChallengeReport, { color = false }: PrettyOptions = {}): string {
  const { good, bad } = paletteOf(color);
  const report = printableIn(written);
  const { unchanged, challenges } = report;
  const lines = unchanged.map(({ name, ok }) => {
    const results = challenges.filter(({ scenario }) => scenario === name);
    const isSound = ok && results.every(({ verdict }) => verdict !== "broke");
    return `${isSound ? good("✓") : bad("✗")} ${name}: ${ok ? verdictCounts(results) : "fails unchanged"}\n`;
  });
  return lines.join("") + summaryOf(report, color);
}

/** Each scenario as a suite, each challenge as a test case. */
const asReports = ({ challenges, notTried, unchanged }: ChallengeReport): Report[] =>
  unchanged.map((report) => {
    const isOf = ({ scenario }: { readonly scenario: string }) => scenario === report.name;
    const place = { path: "steps", ...omitUndefined({ file: report.file }) };
    const head = ({ name }: { readonly name: string }) => ({ name, step: "challenge", place });
    const steps: StepReport[] = [
      ...report.steps.filter(({ ok }) => !ok),
      ...challenges.filter(isOf).map((result) => {
        const { verdict, held, durationMs, message, about, expected, seen } = result;
        const failure = !held && { message: `${message} (${about})`, expected, seen };
        const own = omitUndefined({ place: result.place });
        return { ...head(result), ...own, ok: verdict !== "broke", durationMs, ...failure };
      }),
      ...notTried.filter(isOf).map((one) => ({ ...head(one), ok: false, skipped: true })),
    ];
    return { ...report, ok: steps.every(({ ok, skipped }) => ok || skipped), steps };
  });

export const CHALLENGE_REPORTERS = {
  pretty: (report: ChallengeReport) => prettyReport(report),
  tap: (report: ChallengeReport) => REPORTERS.tap(asReports(report)),
  junit: (report: ChallengeReport) => REPORTERS.junit(asReports(report)),
  json: jsonText as (report: ChallengeReport) => string,
} as const;

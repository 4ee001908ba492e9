/** What a comparison found, for programs, people and issues, and the behaviour file that keeps it. */
import { valueText } from "../../client/misses.js";
import { printableIn } from "../../kernel/printable.js";
import { markdownTable } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { StepReport } from "../../scenarios/report.js";
import { locationText } from "../../scenarios/reporters.js";
import type { RunTrace } from "../../scenarios/trace.js";
import type { Observed, ObservedSince } from "../../service/behaviour/observed.js";
import type { FieldDifference } from "./differences.js";
import type { Explanation } from "./explain.js";

type StepMention = Pick<StepReport, "name" | "place">;

/** A call that the two sides answered differently. */
export interface CallDifference extends StepMention {
  readonly call: string;
  readonly operation: string;
  readonly simulator: { readonly status: number | null; readonly body?: unknown };
  readonly other: { readonly status: number | null; readonly body?: unknown };
  readonly fields: readonly FieldDifference[];
  /** The entries of the behaviour table that would explain it; without a value, one that leaves it open in another way. */
  readonly entries: readonly Explanation[];
  /** The section of the specification that the other side contradicts; null if entries explain the difference. */
  readonly section: string | null;
}

export interface ScenarioComparison {
  readonly name: string;
  readonly file?: string;
  readonly ok: boolean;
  /** How many calls both sides answered. */
  readonly compared: number;
  readonly differences: readonly CallDifference[];
  readonly notSent: RunTrace["failures"];
  /** On either side. */
  readonly failures: RunTrace["failures"];
}

/** A call in which the other side contradicts a section of the specification. */
interface Contradiction {
  readonly scenario: string;
  readonly step: string;
  readonly operation: string;
  readonly section: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Comparison {
  readonly against: string;
  readonly ok: boolean;
  readonly scenarios: readonly ScenarioComparison[];
  readonly observed: readonly Observed[];
  readonly contradictions: readonly Contradiction[];
  /** The entries that nothing decided. */
  readonly open: readonly string[];
  /** How an earlier comparison differs. */
  readonly expected?: ObservedSince;
}

export const stepText = ({ name, place }: StepMention): string => `${place.path}: ${name}`;
const entryText = ({ key, value }: Explanation): string =>
  value === undefined ? `${key}, with no value that can be set` : `${key}: ${valueText(value)}`;

interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** All that a report says, as tables. */
function tablesOf({ scenarios, observed, contradictions, open, expected }: Comparison): Table[] {
  const calls = scenarios.flatMap(({ name, file = name, differences }) =>
    differences.map((one) => [
      `${locationText({ file, ...one.place })} ${one.name === one.call ? one.call : `${one.name}: ${one.call}`}`,
      ...(["simulator", "other"] as const).map((side) =>
        one.fields.map((field) => `${field.path} ${valueText(field[side])}`).join(", "),
      ),
      one.section === null
        ? `explained by ${one.entries.map(entryText).join(", or ")}`
        : `contradicts ${one.section}`,
    ]),
  );
  const omissions = scenarios.flatMap(({ notSent, failures }) =>
    [...notSent, ...failures].map((one) => [`${locationText(one.place)} ${one.name}`, one.reason]),
  );
  const isDefault = (one: Observed) => JSON.stringify(one.value) === JSON.stringify(one.default);
  const others = observed
    .filter((one) => !isDefault(one))
    .map(({ key, value, default: preset, evidence: [first] }) => [
      ...[key, valueText(value), valueText(preset)],
      first === undefined ? "" : `${first.scenario}, ${first.step}: ${first.shows}`,
    ]);
  const keys = (list: readonly string[]) => (list.length === 0 ? [] : [[list.join(", ")]]);
  const drift = expected?.drift.map((one) => [one.key, valueText(one.expected), valueText(one.seen)]) ?? [];
  const wrong = contradictions.map((one) => [one.section, one.scenario, one.step, one.expected, one.seen]);
  return [
    { title: "Differences", heads: ["call", "simulator", "other", "why"], rows: calls },
    { title: "Not sent, failed or unexpected", heads: ["step", "reason"], rows: omissions },
    {
      title: "Observed, other than the defaults",
      heads: ["key", "value", "default", "shown by"],
      rows: others,
    },
    {
      title: "Observed to have their defaults",
      heads: ["keys"],
      rows: keys(observed.filter(isDefault).map(({ key }) => key)),
    },
    {
      title: "Contradicts the specification",
      heads: ["section", "scenario", "step", "expected", "seen"],
      rows: wrong,
    },
    ...(expected === undefined
      ? []
      : [
          {
            title: `Changed since ${expected.file}, ${expected.age}`,
            heads: ["key", "was", "is"],
            rows: drift,
          },
        ]),
    { title: "Undecided", heads: ["keys"], rows: keys(open) },
  ].filter(({ rows, title }) => rows.length > 0 || title.startsWith("Changed"));
}

export function prettyComparison(comparison: Comparison): string {
  const shown = printableIn(comparison);
  const scenarios = shown.scenarios.map(({ name, file = "", ok, compared, differences }) => {
    const counts = `${counted(compared, "call")} compared, ${differences.length} differ`;
    return `${ok ? "✓" : "✗"} ${name}  ${file}  ${counts}`;
  });
  const tables = tablesOf(shown).flatMap(({ title, heads, rows }) => [
    `\n${title}${rows.length === 0 ? ": nothing" : ""}`,
    ...rows.flatMap(([first, ...cells]) => [
      `  ${first}`,
      ...cells.map((cell, index) => `      ${heads[index + 1]}: ${cell}`),
    ]),
  ]);
  const agreed = shown.ok ? [`\nThe simulator and ${shown.against} agree.`] : [];
  return [...scenarios, ...tables, ...agreed, ""].join("\n");
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** A report to paste into an issue. */
export function markdownComparison(comparison: Comparison): string {
  const shown = printableIn(comparison);
  const tables = tablesOf(shown).flatMap(({ title, heads, rows }) => {
    const cells = rows.map((row) => row.map(escaped));
    return [`### ${title}`, rows.length === 0 ? "Nothing." : markdownTable(heads, cells).join("\n")];
  });
  const summary = shown.ok ? "The responses agree." : "The responses differ.";
  return [`## Comparison with ${shown.against}`, summary, ...tables, ""].join("\n\n");
}

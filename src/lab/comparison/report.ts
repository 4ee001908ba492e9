/** The report of a comparison, as data and as text. */
import { valueText } from "../../client/misses.js";
import { printable, printableIn } from "../../kernel/printable.js";
import { counted } from "../../kernel/words.js";
import type { StepLocation } from "../../scenarios/report.js";
import { locationText } from "../../scenarios/reporters.js";

/** A difference in a field. A side without the field leaves it out. */
export interface FieldDifference {
  /** `status`, `headers.content-type`, `body.templates[0].title`; empty if one side made no call. */
  readonly path: string;
  readonly simulator?: unknown;
  readonly other?: unknown;
}

export interface StepMention {
  readonly name: string;
  readonly place: StepLocation;
}

/** A call that the two sides answered differently. */
export interface CallDifference extends StepMention {
  /** Which round of the `repeat` steps around it, outermost first. */
  readonly rounds?: readonly number[];
  readonly call: string;
  /** The behaviour entry that decided the simulator's answer; null: the specification decides it. */
  readonly behaviour: string | null;
  readonly fields: readonly FieldDifference[];
  /** Earlier steps that only the simulator took: their changes are missing on the other side. */
  readonly after: readonly StepMention[];
}

/** A call that was not sent to the other side, or a step that the simulator refused. */
export interface Omission extends StepMention {
  readonly reason: string;
}

export interface ScenarioComparison {
  readonly name: string;
  readonly file?: string;
  readonly ok: boolean;
  /** How many calls both sides answered. */
  readonly compared: number;
  readonly differences: readonly CallDifference[];
  readonly notSent: readonly Omission[];
  /** Steps that failed on the simulator: later answers mean little. */
  readonly failures: readonly Omission[];
  /** Unexpected answers of either side. They may agree all the same. */
  readonly unexpected: readonly (Omission & { readonly side: "simulator" | "other" })[];
}

/** Behaviour values that bring the simulator closer to the other side. */
export interface Proposal {
  readonly values: Readonly<Record<string, unknown>>;
  /** With all of them no call differs. */
  readonly complete: boolean;
  /** How many calls still differ with them. */
  readonly remaining: number;
  /** Some differing calls came after steps that only the simulator took, which may be the real reason. */
  readonly uncertain: boolean;
}

export interface Comparison {
  readonly against: string;
  readonly ok: boolean;
  readonly scenarios: readonly ScenarioComparison[];
  /** Null if nothing differs or no value helps. */
  readonly proposal: Proposal | null;
}

export function prettyComparison(comparison: Comparison): string {
  const { against, scenarios, proposal, ok } = printableIn(comparison);
  return [
    ...scenarios.flatMap((scenario) => [...scenarioLines(scenario), ""]),
    ...(ok && scenarios.some(({ compared }) => compared > 0) ? [`The simulator and ${against} agree.`] : []),
    ...(scenarios.some(({ differences }) => differences.length > 0) ? proposalLines(proposal, against) : []),
    "",
  ].join("\n");
}

function scenarioLines(scenario: ScenarioComparison): string[] {
  const { name, file, ok, compared, differences, notSent, failures, unexpected } = scenario;
  const counts = [
    `${counted(compared, "call")} compared`,
    ...(differences.length > 0 ? [`${differences.length} differ`] : []),
    ...(notSent.length > 0 ? [`${notSent.length} not sent`] : []),
  ];
  return [
    `${ok ? "✓" : "✗"} ${name}${file === undefined ? "" : `  ${file}`}  ${counts.join(", ")}`,
    ...failures.flatMap((failure) => omissionLines("failed on the simulator", failure)),
    ...notSent.flatMap((omission) => omissionLines("not sent", omission)),
    ...differences.flatMap(differenceLines),
    ...unexpected.flatMap((answer) =>
      omissionLines(answer.side === "other" ? "on the other side" : "on the simulator", answer),
    ),
  ];
}

const omissionLines = (what: string, { name, place, reason }: Omission): string[] => [
  `    ${locationText(place)}  ${name}`,
  `        ${what}: ${reason}`,
];

function differenceLines({ place, name, call, rounds, behaviour, fields, after }: CallDifference): string[] {
  const label = name === call ? call : `${name}: ${call}`;
  const width = Math.max(...fields.map(({ path }) => (path || "call").length));
  const earlier = after.map((step) => `${step.name} (${locationText(step.place)})`).join("; ");
  return [
    `    ${locationText(place)}  ${label}${rounds === undefined ? "" : ` [${rounds.join(".")}]`}`,
    ...fields.flatMap(({ path, simulator, other }) => [
      `        ${(path || "call").padEnd(width)}  simulator  ${valueText(simulator)}`,
      `        ${" ".repeat(width)}  other      ${valueText(other)}`,
    ]),
    behaviour === null
      ? "        no single behaviour entry decides the simulator's response"
      : `        the simulator's response is decided by ${behaviour}`,
    ...(after.length === 0 ? [] : [`        earlier steps that ran only on the simulator: ${earlier}`]),
  ];
}

function proposalLines(proposal: Comparison["proposal"], against: string): string[] {
  if (proposal === null) return ["No behaviour value reduces the differences."];
  const { values, complete, remaining, uncertain } = proposal;
  const left = `${counted(remaining, "call")} still ${remaining === 1 ? "differs" : "differ"}`;
  return [
    complete
      ? `With these behaviour values the simulator responds like ${against} (verified: no differences left):`
      : `These behaviour values reduce the differences (verified: ${left}):`,
    ...(uncertain ? [UNCERTAIN] : []),
    "",
    ...Object.entries(values).map(([key, value]) => `${key}: ${printable(JSON.stringify(value))}`),
  ];
}

const UNCERTAIN =
  "Some of these calls followed steps that ran only on the simulator: check whether those are the reason.";

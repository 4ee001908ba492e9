/** Comparisons for people. */

import { valueText } from "../client/misses.js";
import { printable, printableIn } from "../kernel/printable.js";
import { counted } from "../kernel/words.js";
import { locationText } from "../scenarios/reporters/failure-text.js";
import type { CallDifference, Comparison, Omission, ScenarioComparison } from "./report.js";

export function prettyComparison(comparison: Comparison): string {
  const { against, scenarios, proposal, ok } = printableIn(comparison);
  return [
    ...scenarios.flatMap((scenario) => [...scenarioLines(scenario), ""]),
    ...(ok ? agreementLines(against, scenarios) : proposalLines(proposal, against, scenarios)),
    "",
  ].join("\n");
}

function scenarioLines({
  name,
  file,
  ok,
  compared,
  differences,
  notSent,
  failures,
  unexpected,
}: ScenarioComparison): string[] {
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
  const rows = fields.map(({ path, ...values }) => ({ path: path || "call", ...values }));
  const width = Math.max(...rows.map(({ path }) => path.length));
  return [
    `    ${locationText(place)}  ${label}${rounds === undefined ? "" : ` [${rounds.join(".")}]`}`,
    ...rows.flatMap(({ path, simulator, other }) => [
      `        ${path.padEnd(width)}  simulator  ${valueText(simulator)}`,
      `        ${" ".repeat(width)}  other      ${valueText(other)}`,
    ]),
    `        ${behaviour === null ? "no entry of the behaviour table by itself decides the simulator's answer" : `the simulator's answer is decided by ${behaviour}`}`,
    ...(after.length === 0
      ? []
      : [
          `        only the simulator took before it: ${after.map((step) => `${step.name} (${locationText(step.place)})`).join("; ")}`,
        ]),
  ];
}

const agreementLines = (against: string, scenarios: readonly ScenarioComparison[]): string[] =>
  scenarios.some(({ compared }) => compared > 0) ? [`The simulator and ${against} agree.`] : [];

function proposalLines(
  proposal: Comparison["proposal"],
  against: string,
  scenarios: readonly ScenarioComparison[],
): string[] {
  if (scenarios.every(({ differences }) => differences.length === 0)) return [];
  if (proposal === null) return ["No behaviour value that was tried brings the simulator nearer."];
  const { values, complete, remaining, uncertain } = proposal;
  return [
    complete
      ? `With these behaviour values the simulator answers as ${against} did (tried: no difference is left):`
      : `With these behaviour values the simulator comes nearer (tried: ${counted(remaining, "call")} still ${remaining === 1 ? "differs" : "differ"}):`,
    ...(uncertain
      ? [
          "Some of these calls came after steps that only the simulator took: look whether those are the reason.",
        ]
      : []),
    "",
    ...Object.entries(values).map(([key, value]) => `${key}: ${printable(JSON.stringify(value))}`),
  ];
}

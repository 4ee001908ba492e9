/** What calibration found, its reports, the behaviour file that it writes, and the comparison with an earlier one. */

import { printable, printableOutput } from "../../kernel/printable.js";
import { instantOf, isoOf, wallNow } from "../../kernel/realtime.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { OBSERVED } from "../../service/behaviour/table.js";
import type { Exchange } from "./trace.js";

/** One exchange that shows a value. */
export interface Evidence {
  readonly file: string;
  /** The index of the entry in its file. */
  readonly exchange: number;
  readonly operation: string;
  readonly at: string;
  readonly shows: string;
}

/** An entry of the behaviour table with its value in the service. */
export interface Learned {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly evidence: readonly Evidence[];
  /** Always empty: nothing is learned that an exchange contradicts. */
  readonly against: readonly [];
}

/** Between which values a number or duration lies, by what was seen. A side that nothing bounds is missing. */
export interface Interval {
  readonly key: string;
  readonly atLeast?: unknown;
  readonly atMost?: unknown;
  /** The exchanges that rule out what lies beyond. */
  readonly evidence: readonly Evidence[];
}

/** An interval in words. */
export const intervalText = ({ key, atLeast, atMost }: Interval): string => {
  const sides = [["at least", atLeast] as const, ["at most", atMost] as const];
  return `${key}: ${sides.flatMap(([word, value]) => (value === undefined ? [] : `${word} ${shows(value)}`)).join(", ")}`;
};

export interface Contradiction {
  readonly exchange: number;
  readonly operation: string;
  /** The section of the specification that it contradicts. */
  readonly section: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Unjudged {
  readonly exchange: number;
  readonly reason: string;
}

export interface Calibration {
  readonly ok: boolean;
  readonly exchanges: {
    readonly total: number;
    readonly agree: number;
    readonly explained: number;
    readonly contradict: number;
    readonly unjudged: number;
  };
  readonly learned: readonly Learned[];
  /** Numbers and durations that are bounded and not measured. */
  readonly intervals: readonly Interval[];
  readonly contradictions: readonly Contradiction[];
  readonly unjudged: readonly Unjudged[];
  /** The entries that nothing decided. */
  readonly open: readonly string[];
  /** Why an entry cannot have a value; undefined if it can. */
  readonly refutes: (key: string, value: unknown) => Refutation | undefined;
}

/** What was seen instead of a value, and where. */
export interface Refutation {
  readonly seen: unknown;
  readonly evidence: readonly Evidence[];
}

const MAX_SHOWN = 200;

/** A value as one short line. */
export function shows(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing");
  return printable(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

export function evidenceOf({ file, index, operation, kind, at, message }: Exchange): Evidence {
  const body =
    kind === "call" ? `${message.status} ${shows(message.response.value)}` : shows(message.request.value);
  return { file, exchange: index, operation: operation ?? kind, at: isoOf(at), shows: body };
}

/** A value that differs from the observed one. */
interface Drift extends Refutation {
  readonly key: string;
  readonly expected: unknown;
}

/** How the values of an earlier calibration compare. */
interface Expectation {
  readonly file: string;
  /** In words, such as `12 days old`. */
  readonly age: string;
  readonly drift: readonly Drift[];
}

/** Everything that the command prints. */
type CalibrationReport = Calibration & { readonly expected?: Expectation };

const isDefault = ({ value, default: preset }: Learned): boolean =>
  JSON.stringify(value) === JSON.stringify(preset);
const firstOf = ({ evidence: [first] }: Pick<Learned, "evidence">): string =>
  first === undefined ? "" : `${first.file} #${first.exchange} ${first.operation}: ${first.shows}`;

const countsOf = ({ exchanges }: Calibration): string =>
  `${exchanges.total} exchanges: ${exchanges.agree} agree, ${exchanges.explained} agree with other values, ${exchanges.contradict} contradict the specification, ${exchanges.unjudged} cannot be judged`;

export function prettyCalibration(report: CalibrationReport): string {
  const { learned, intervals, contradictions, unjudged, open, expected } = report;
  const sections: Record<string, readonly string[]> = {
    "Values other than the simulator's defaults": learned
      .filter((one) => !isDefault(one))
      .flatMap((one) => [
        `${one.key}: ${shows(one.value)}  (default ${shows(one.default)})`,
        `    ${firstOf(one)}`,
      ]),
    "Bounded, not measured": intervals.map(intervalText),
    "Confirmed defaults": learned.filter(isDefault).map(({ key }) => key),
    "Contradicts the specification": contradictions.flatMap((one) => [
      `#${one.exchange} ${one.operation}  (${one.section})`,
      `    expected ${one.expected}`,
      `    seen     ${one.seen}`,
    ]),
    "Cannot be judged": unjudged.map(({ exchange, reason }) => `#${exchange} ${reason}`),
    [`Undecided by this recording (${open.length})`]: [open.join(", ")],
  };
  if (expected !== undefined)
    sections[`Compared with ${expected.file}, ${expected.age}`] =
      expected.drift.length === 0
        ? ["no value has changed"]
        : expected.drift.flatMap((one) => [
            `${one.key}: was ${shows(one.expected)}, is ${shows(one.seen)}`,
            `    ${firstOf(one)}`,
          ]);
  const texts = Object.entries(sections).map(([title, lines]) =>
    lines.length === 0 ? "" : `\n${title}\n${lines.map((line) => `  ${line}\n`).join("")}`,
  );
  return printableOutput(`${countsOf(report)}\n${texts.join("")}`);
}

/** A report to paste into an issue. */
export function markdownCalibration(report: CalibrationReport): string {
  const { learned, intervals, contradictions, unjudged, open, expected } = report;
  const drift = expected?.drift.map((one) => [one.key, shows(one.expected), shows(one.seen)]) ?? [];
  const values = learned.map((one) => [
    one.key,
    shows(one.value),
    isDefault(one) ? "the same" : shows(one.default),
    firstOf(one),
  ]);
  const against = contradictions.map((one) => [
    `#${one.exchange}`,
    one.operation,
    one.section,
    one.expected,
    one.seen,
  ]);
  const reasons = unjudged.map(({ exchange, reason }) => [`#${exchange}`, reason]);
  return printableOutput(
    [
      `## Calibration\n\n${countsOf(report)}.`,
      expected &&
        `### Drift against ${expected.file} (${expected.age})\n\n${table(["key", "observed", "now"], drift)}`,
      `### Measured values\n\n${table(["key", "value", "default", "evidence"], values)}`,
      intervals.map((one) => `- ${cell(intervalText(one))}`).join("\n"),
      `### Contradicts the specification\n\n${table(["exchange", "operation", "section", "expected", "seen"], against)}`,
      `### Cannot be judged\n\n${table(["exchange", "reason"], reasons)}`,
      `Undecided: ${open.map((key) => `\`${key}\``).join(", ")}.\n`,
    ]
      .filter(Boolean)
      .join("\n\n"),
  );
}

const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? "Nothing."
    : [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const DAY_MS = 86_400_000;

/** The measured values as a behaviour file, each preceded by its evidence. */
export function observedFile({ learned, intervals, open }: Calibration): string {
  const observed = learned.map(({ key, evidence }) => {
    const at =
      evidence
        .map((one) => one.at)
        .sort()
        .at(-1) ?? isoOf(wallNow());
    return [
      `  ${JSON.stringify(key)}:`,
      `    at: ${JSON.stringify(at)}`,
      "    exchanges:",
      ...evidence.map((one) => `      - ${JSON.stringify(one)}`),
    ].join("\n");
  });
  const values = learned.map(
    (one) => `${note(one)}\n${JSON.stringify(one.key)}: ${JSON.stringify(one.value)}`,
  );
  return [
    `# Measured by messaging-sim calibrate, ${isoOf(wallNow())}. Use it with: messaging-sim serve --behaviour FILE`,
    `# Undecided: ${open.join(", ")}`,
    ...intervals.map((one) => `# Bounded: ${intervalText(one)}`),
    ...values,
    ...(observed.length === 0 ? [] : [`${OBSERVED}:`, ...observed]),
    "",
  ].join("\n");
}

const note = ({ evidence: [first] }: Learned): string =>
  first === undefined ? "" : `# ${first.file} #${first.exchange} ${first.operation} ${first.at}`;

/** Whether the service still has the values of an earlier calibration: those that the recording rules out. */
export function expectation(
  file: string,
  expected: Partial<BehaviourValues>,
  { refutes }: Pick<Calibration, "refutes">,
): Expectation {
  const { [OBSERVED]: observed = {}, ...values } = expected;
  const drift = Object.entries(values).flatMap(([key, value]): Drift[] => {
    const refutation = refutes(key, value);
    return refutation === undefined ? [] : [{ key, expected: value, ...refutation }];
  });
  const newest = Object.values(observed).map(({ at }) => instantOf(at));
  return { file, age: ageOf(Math.max(...newest)), drift };
}

function ageOf(at: number): string {
  if (!Number.isFinite(at)) return "of unknown age";
  const days = Math.max(0, Math.floor((wallNow() - at) / DAY_MS));
  return days === 0 ? "less than a day old" : days === 1 ? "1 day old" : `${days} days old`;
}

/** The behaviour file that a calibration writes, and the comparison with an earlier one. */
import { instantOf, isoOf, wallNow } from "../../kernel/realtime.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { OBSERVED } from "../../service/behaviour/table.js";
import type { Calibration, Drift, Expectation, Learned } from "./report.js";
import { intervalText } from "./report.js";

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

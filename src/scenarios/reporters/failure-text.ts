/** A failed step in words, as every reporter but JSON shows it. */
import { patternText, valueText } from "../../client/misses.js";
import { printable } from "../../kernel/printable.js";
import type { NearMiss, StepLocation, StepReport } from "../report.js";

/** `file:line:column`, or the path where there is no file. */
export const locationText = ({ file, line, column, path }: StepLocation): string =>
  file === undefined ? path : `${file}:${line}:${column}`;

/** What was expected or seen, as words or JSON. */
const asText = (value: unknown): string =>
  typeof value === "string" ? printable(JSON.stringify(value)) : patternText(value);

/** The lines about a failed step, each a label and its text; a line without a label goes on with the one before. */
export function failureLines(step: StepReport): [label: string, text: string][] {
  const { expected, seen, nearMisses = [], chain = [] } = step;
  return [
    ...(expected === undefined ? [] : [["expected", asText(expected)] as [string, string]]),
    ...(seen === undefined ? [] : [["seen", asText(seen)] as [string, string]]),
    ...nearMisses.flatMap((miss, index) => missLines(miss, index === 0 ? "nearest" : "")),
    ...chain.map(({ id, text }, index): [string, string] => [
      index === 0 ? "chain" : "",
      `${"  ".repeat(index)}${index === 0 ? "" : "→ "}${id === null ? "" : `${id}: `}${text}`,
    ]),
  ];
}

function missLines({ id, summary, differences }: NearMiss, label: string): [string, string][] {
  const width = Math.max(0, ...differences.map(({ path }) => path.length));
  return [
    [label, `${id === "" ? "" : `${id}: `}${summary}`],
    ...differences.map(({ path, expected, seen }): [string, string] => [
      "",
      `  ${path.padEnd(width)}  expected ${patternText(expected)}, seen ${valueText(seen)}`,
    ]),
  ];
}

/** All of it as one text. */
export function failureText(step: StepReport): string {
  const lines = failureLines(step).map(([label, text]) => `${label.padEnd(8)}  ${text}`.trimEnd());
  return [`${locationText(step.place)}  ${step.message}`, ...lines].join("\n");
}

/** Explains failed expectations to the reader of a test report. */
import { printable } from "../kernel/printable.js";
import type { NearMiss, RequestRecord } from "./types.js";

const MAX_LENGTH = 200;

export function missesText(misses: readonly NearMiss[]): string {
  if (misses.length === 0) return "";
  return ["Nearest:", ...misses.flatMap(missLines)].map((line) => `  ${line}`).join("\n");
}

function missLines({ id, entry, differences }: NearMiss): string[] {
  const width = Math.max(...differences.map(({ path }) => pathWords(path).length));
  return [
    `${id}  ${titleOf(entry)}`,
    ...(isRequest(entry) && entry.status !== null && entry.status >= 400
      ? [`    answered  ${valueText(entry.response)}`]
      : []),
    ...differences.flatMap((difference) => differenceLines(difference, width)),
  ];
}

export const titleOf = (entry: NearMiss["entry"]): string =>
  printable(
    isRequest(entry)
      ? `${entry.method} ${entry.path} → ${entry.status ?? "no response"}`
      : `${entry.eventType} to ${entry.hookId} (${withoutCredentials(entry.url)}), ${entry.status}`,
  );

/** An address without user, password and parameters, which may be secret. */
const withoutCredentials = (url: string): string =>
  url.replace(/^(\w+:\/\/)[^/?#]*@/, "$1").replace(/[?#].*/, "");

const isRequest = (entry: NearMiss["entry"]): entry is RequestRecord => "method" in entry;

const pathWords = (path: string): string => (path === "" ? "(all of it)" : path);

function differenceLines({ path, expected, seen }: NearMiss["differences"][number], width: number): string[] {
  return [
    `    ${pathWords(path).padEnd(width)}  expected ${patternText(expected)}`,
    `    ${" ".repeat(width)}  seen     ${valueText(seen)}`,
  ];
}

const OPERATORS: Readonly<Record<string, (operand: unknown) => string>> = {
  $regex: (operand) => `text that matches /${operand}/`,
  $contains: (operand) => `text that contains ${valueText(operand)}`,
  $any: (operand) => `any ${operand}`,
  $gt: (operand) => `more than ${operand}`,
  $lt: (operand) => `less than ${operand}`,
  $absent: (operand) => (operand === true ? "nothing" : "anything"),
  $oneOf: (operand) => (operand as unknown[]).map(patternText).join(" or "),
  $not: (operand) => `not ${patternText(operand)}`,
};

/** A pattern in words: operators are described, anything else is JSON. */
export function patternText(pattern: unknown): string {
  if (typeof pattern !== "object" || pattern === null || Array.isArray(pattern)) return valueText(pattern);
  const parts = Object.entries(pattern);
  if (parts.length === 0 || !parts.every(([key]) => Object.hasOwn(OPERATORS, key))) return valueText(pattern);
  return parts.map(([key, operand]) => OPERATORS[key]?.(operand)).join(" and ");
}

/** A value as JSON, truncated if it is long. */
export function valueText(value: unknown): string {
  const text = printable(value === undefined ? "nothing" : JSON.stringify(value));
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** A match in words, with one line for each plain value and condition. */
export const matchLines = (match: object): string[] => [
  "  expected:",
  ...flattened(match).map((line) => `    ${line}`),
];

function flattened(match: object, above = ""): string[] {
  return Object.entries(match).flatMap(([key, part]) => {
    const isBranch = typeof part === "object" && part !== null && !Array.isArray(part);
    const isCondition = isBranch && Object.keys(part).some((name) => name.startsWith("$"));
    if (isBranch && !isCondition && Object.keys(part).length > 0) return flattened(part, `${above}${key}.`);
    return [`${above}${key}: ${patternText(part)}`];
  });
}

/** The output of `serve`: its log, and at the start what to try first. */

import { type Logger, SILENT } from "../kernel/errors.js";
import { printable, printableLines } from "../kernel/printable.js";
import { isoOf, wallNow } from "../kernel/realtime.js";
import type { LogOptions } from "../server/config/serve.js";

import type { Records, Thread } from "../service/world/records.js";
import type { RecordReader } from "../service/world/world.js";

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** A logger that writes lines for people, or JSON through pino. */
export async function createLogger(
  { level, format }: LogOptions,
  write: (text: string) => void,
): Promise<Logger> {
  if (level === "silent") return SILENT;
  if (format === "pretty") return prettyLogger(level, write);
  const { pino } = await import("pino");
  const labels = { level: (label: string) => ({ level: label }) };
  const logger: Logger = pino(
    { level, base: null, formatters: labels },
    { write: (line: string) => write(printableLines(line)) },
  );
  return logger;
}

function prettyLogger(least: Level, write: (text: string) => void): Logger {
  const at =
    (level: Level) =>
    (fields: object, message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const time = isoOf(wallNow()).slice(11, 23);
      write(`${time} ${level.padEnd(5)} ${printable(message)}${detailsOf(fields)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The fields of a line as `name=value`; an error's stack trace follows on separate lines. */
function detailsOf(fields: object): string {
  let details = "";
  let trace = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) trace += `\n${printableLines(value.stack ?? value.message)}`;
    else if (value !== undefined)
      details += ` ${name}=${printable(typeof value === "object" ? JSON.stringify(value) : String(value))}`;
  }
  return details === "" ? trace : `  ${details.trimStart()}${trace}`;
}

const MAX_LISTED = 4;

/** What to try first after the start: tokens, threads, a call, the dashboard. */
export function nextSteps(url: string, records: RecordReader, caFile?: string): string {
  const listed = <C extends "tokens" | "threads">(collection: C, textOf: (record: Records[C]) => string) => {
    const texts = [...take(records.all(collection), MAX_LISTED)].map(textOf);
    const more = records.count(collection) - texts.length;
    return texts.join(", ") + (more > 0 ? ` and ${more} more` : "");
  };
  const lines = {
    tokens: listed("tokens", ({ id }) => id),
    threads: listed("threads", threadText),
    try: exampleCall(url, records, caFile),
    dashboard: `${url}/__sim/ui/`,
  };
  return Object.entries(lines)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(9)}  ${printable(text)}\n`)
    .join("");
}

const threadText = ({ id, channel, status, isMessagingWindowOpen }: Thread): string =>
  `${id} (${channel}, ${status}${isMessagingWindowOpen ? "" : ", window closed"})`;

/** A call that answers 200: a token, and a thread among the first few that its user may access. */
function exampleCall(url: string, records: RecordReader, caFile: string | undefined): string {
  for (const { id: token, userId } of take(records.all("tokens"), 100)) {
    const businesses = records.get("users", userId)?.businessIds ?? [];
    for (const { id, businessId } of take(records.all("threads"), 100)) {
      if (!businesses.includes(businessId)) continue;
      const trust = caFile !== undefined ? ` --cacert ${caFile}` : url.startsWith("https:") ? " -k" : "";
      const headers = `-H 'token: ${token}' -H 'Content-Type: application/json'`;
      return `curl${trust} ${headers} '${url}/api/get-customer-thread-details?customerThreadId=${id}'`;
    }
  }
  return "";
}

function* take<T>(values: Iterable<T>, max: number): Generator<T> {
  let count = 0;
  for (const value of values) {
    if (count === max) return;
    count += 1;
    yield value;
  }
}

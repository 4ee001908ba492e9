import type { LogOptions } from "../config/serve.js";
import type { Logger } from "../kernel/logger.js";
import { SILENT } from "../kernel/logger.js";
import { printable, printableLines } from "../kernel/printable.js";
import { isoOf, wallNow } from "../kernel/realtime.js";

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

/** The fields of a line as `name=value`; of an error its trace, on lines of its own. */
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

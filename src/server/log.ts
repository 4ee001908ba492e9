/** What the simulator tells its operator: no line holds a secret. */

import { type Logger, SILENT } from "../kernel/errors.js";
import { masked, maskedText } from "../kernel/masking.js";
import { fromKeys } from "../kernel/objects.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry } from "../sandbox/registry.js";

/** Masks secrets in every line: in its message, its fields, and the errors among them. */
export function withoutSecrets(logger: Logger): Logger {
  if (logger === SILENT) return SILENT;
  return fromKeys(["debug", "info", "warn", "error"], (level) => (fields: object, message: string) => {
    const shown = Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? maskedError(value) : masked(value, name),
    ]);
    logger[level](Object.fromEntries(shown), maskedText(message));
  });
}

/** An error may be its own cause. */
const MAX_CAUSES = 8;

/** A copy of an error with its causes, and those of its other fields that are plain values. */
function maskedError(error: Error, causes = MAX_CAUSES): Error {
  const { name, message, stack = "", cause } = error;
  const plain = Object.entries(error).filter(([, value]) => typeof value !== "object");
  const copy = Object.assign(new Error(maskedText(message)), masked(Object.fromEntries(plain)));
  const hidden = {
    stack: maskedText(stack),
    cause: cause instanceof Error && causes > 0 ? maskedError(cause, causes - 1) : undefined,
    // Loggers name the type of an error by its name or its constructor.
    name,
    constructor: error.constructor,
  };
  for (const [key, value] of Object.entries(hidden)) Object.defineProperty(copy, key, { value });
  return copy;
}

/** Logs contract warnings and, if asked, each answered call at level debug. */
export function logTraffic(registry: SandboxRegistry, logger: Logger, calls: boolean): void {
  if (logger === SILENT) return;
  registry.each((sandbox) =>
    sandbox.observe({
      warning: ({ code, message, requestId }) =>
        logger.info({ sandbox: sandbox.id, code, request: requestId }, `contract warning: ${message}`),
      ...(calls && { request: (entry: JournalEntry) => logCall(logger, sandbox.id, entry) }),
    }),
  );
}

function logCall(logger: Logger, sandbox: string, entry: JournalEntry): void {
  if (entry.open) return;
  const { id, method, path, status, durationMs, operation } = entry;
  logger.debug(
    { sandbox, request: id, operation, status, durationMs },
    `${method} ${path} ${status ?? "closed"}`,
  );
}

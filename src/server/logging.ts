import { given } from "../kernel/given.js";
import type { Logger } from "../kernel/logger.js";
import { SILENT } from "../kernel/logger.js";
import { maskedText } from "../kernel/masking.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { SandboxRegistry } from "../sandbox/registry.js";

/** Tells the log of contract warnings, and at level debug of each answered call. */
export function logTraffic(registry: SandboxRegistry, logger: Logger, calls: boolean): void {
  if (logger === SILENT) return;
  registry.each((sandbox) =>
    sandbox.observe({
      warning: ({ code, message, requestId }) =>
        logger.info({ sandbox: sandbox.id, code, request: requestId }, `contract warning: ${message}`),
      ...given({ request: calls ? (entry: JournalEntry) => logCall(logger, sandbox.id, entry) : undefined }),
    }),
  );
}

function logCall(logger: Logger, sandbox: string, entry: JournalEntry): void {
  if (entry.open) return;
  const { id, method, path, status, durationMs, operation } = entry;
  logger.debug(
    { sandbox, request: id, operation, status, durationMs },
    `${method} ${maskedText(path)} ${status ?? "closed"}`,
  );
}

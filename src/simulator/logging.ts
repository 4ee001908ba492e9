import type { Logger } from "../kernel/logger.js";
import { SILENT } from "../kernel/logger.js";
import type { SandboxRegistry } from "../sandbox/registry.js";

/** Tells the log of contract warnings, and at level debug of each answered call. */
export function logTraffic(registry: SandboxRegistry, logger: Logger, calls: boolean): void {
  if (logger === SILENT) return;
  registry.each((sandbox) => {
    sandbox.warnings.listen(({ code, message, requestId }) =>
      logger.info({ sandbox: sandbox.id, code, request: requestId }, `contract warning: ${message}`),
    );
    if (!calls) return;
    sandbox.journal.listen((entry) => {
      if (entry.open) return;
      const { id, method, path, status, durationMs, operation } = entry;
      logger.debug(
        { sandbox: sandbox.id, request: id, operation, status, durationMs },
        `${method} ${path} ${status ?? "closed"}`,
      );
    });
  });
}

import type { ResolvedOptions } from "../config/serve.js";
import { Refusal } from "../domain/refusal.js";
import type { Logger } from "../kernel/logger.js";
import { UnusableDocument } from "../kernel/problems.js";
import type { Simulator } from "../simulator.js";
import type { FileWatch } from "./file-watch.js";
import { refuse, type Terminal } from "./terminal.js";

type Resolved = Extract<ResolvedOptions, { readonly problems?: undefined }>;

interface ServeWatch {
  readonly simulator: Simulator;
  readonly files: FileWatch;
  /** The options that the simulator was started with. */
  readonly first: Resolved;
  /** The same options, with what their files hold now. */
  readonly resolve: () => Promise<ResolvedOptions>;
  readonly logger: Logger;
}

/** Loads the start anew whenever its files change, until the signal is aborted; what cannot be used is said. */
export async function watchStart(
  { simulator, files, first, resolve, logger }: ServeWatch,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  let { fixtures } = first.options;
  /** What has changed since the start was last loaded. */
  const stale = new Set<string>();
  for (;;) {
    const changed = await files.changes(signal);
    if (changed.size === 0) return;
    for (const file of changed) stale.add(file);
    try {
      const resolved = await resolve();
      if (resolved.watched !== undefined) files.follow(resolved.watched);
      if (resolved.problems !== undefined) throw new UnusableDocument(resolved.problems);
      const { options } = resolved;
      const isSameFixture = options.fixtures === fixtures && !(fixtures !== undefined && stale.has(fixtures));
      const { behaviour = "documented", strict = false, set = {}, faults = [] } = options;
      await simulator.reload({
        ...(!isSameFixture && { fixtures: options.fixtures }),
        behaviour,
        strict,
        set,
        faults,
      });
      fixtures = options.fixtures;
      stale.clear();
    } catch (error) {
      if (error instanceof UnusableDocument) refuse(terminal, error.problems);
      else if (error instanceof Refusal) terminal.err(`${error.scope.reason}\n`);
      else simulator.failed(error, "loading the start anew");
      logger.warn({ files: [...stale] }, "not loaded anew: everything goes on as it was");
    }
  }
}

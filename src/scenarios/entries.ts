/** How steps wait for calls and deliveries. */
import type { LogName, Logs } from "../client/consumed-entries.js";
import { titleOf } from "../client/misses.js";
import { omitUndefined } from "../kernel/objects.js";
import { inSentence } from "../kernel/printable.js";
import { monotonicNow } from "../kernel/realtime.js";
import { StepFailure } from "./report.js";
import type { StepRun } from "./step.js";

interface Wanted {
  readonly count?: number;
  /** Real time to wait, ms. */
  readonly within: number;
  /** What failures say is missing: `No successful delivery`. */
  readonly what: string;
  /** What failures say was expected; default: the match. */
  readonly expected?: object;
}

/** Waits for matching entries and uses them up. @returns the oldest, and when it came @throws StepFailure on timeout */
export async function takeEntry<L extends LogName>(
  run: StepRun,
  log: L,
  match: object,
  { count = 1, within, what, expected = match }: Wanted,
): Promise<{ readonly entry: Logs[L]; readonly at: number }> {
  const { consumed } = run;
  const { entry, ...waited } = await consumed.take(log, match, { count, timeoutMs: within });
  if (entry !== undefined) {
    const at = monotonicNow() - (waited.agesMs[waited.matches.indexOf(entry)] ?? 0);
    run.used(waited.matches.slice(0, count));
    return { entry, at };
  }
  refuseGaps(log, waited.evicted);
  const nearMisses = waited.nearMisses
    .filter(({ id }) => !consumed.isTaken(log, id))
    .map(({ id, entry: near, differences }) => ({ id, summary: titleOf(near), differences }));
  const times = count === 1 ? "" : ` (${waited.matches.length} of ${count} came)`;
  const { why } = waited;
  const reason = why === undefined ? "" : `: ${inSentence(why)}`;
  throw new StepFailure(`${what} within ${Math.round(within)} ms${times}${reason}`, {
    ...omitUndefined({ why }),
    expected,
    seen: waited.matches.length === 0 ? undefined : waited.matches.map(titleOf),
    nearMisses,
  });
}

/** @throws StepFailure if entries that might have matched are no longer in the journal */
export function refuseGaps(log: LogName, evicted: number | undefined): void {
  if (evicted === undefined) return;
  throw new StepFailure(`${evicted} ${log} that might have matched were evicted: raise --journal-limit`);
}

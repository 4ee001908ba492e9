import { bound } from "./bounds.js";
import { fromKeys, keysOf } from "./keys.js";

const REFUSED = "the simulated API answers 503 with `Retry-After` at once (behaviour `limits.overloadError`)";
const CONTROL_REFUSED = "the control API answers 503 with `Retry-After`";

/** The bounds of what the simulator does at once. `--bound NAME=NUMBER` changes them. */
export const LOAD_BOUNDS = {
  calls: bound(
    10_000,
    "Calls to the simulated API and to sinks under way, over all sandboxes",
    `${REFUSED}; sinks answer 503 too`,
  ),
  connections: bound(
    10_000,
    "Open connections",
    `on those that come later ${REFUSED}, and the connection is closed; the control API answers on them. Twice as many: connections are closed at once`,
  ),
  bodyBytes: bound(
    64 * 1024 * 1024,
    "Bodies of calls to the simulated API and to sinks under way, together; a 32nd of --memory at most",
    `for a call with a body that does not fit beside the others ${REFUSED}; sinks answer 503 too`,
    "bytes",
  ),
  controlBodyBytes: bound(
    128 * 1024 * 1024,
    "Large bodies (64 KiB and more) of control calls under way, together; a 32nd of --memory at most; one alone is let through",
    CONTROL_REFUSED,
    "bytes",
  ),
  deliveries: bound(
    100_000,
    "Pending deliveries, over all sandboxes",
    `for calls that are no GET ${REFUSED}`,
  ),
  scenarioRuns: bound(
    100,
    "Scenarios that run because they were posted, over all sandboxes",
    CONTROL_REFUSED,
  ),
} as const;

/** The bounds of one simulator's load. */
export type LoadLimits = Readonly<Record<keyof typeof LOAD_BOUNDS, number>>;

/** A value may cost 22 times its text, and calls with delays keep it for as long as they take. */
const SHARE_OF_BODIES = 32;

/** What is given, the table's own for the rest; bodies have a share of the memory at most, since values cost more than texts. */
export const loadLimits = (given: Partial<LoadLimits> = {}, memory = Number.POSITIVE_INFINITY): LoadLimits =>
  fromKeys(keysOf(LOAD_BOUNDS), (name) => {
    const { limit, unit } = LOAD_BOUNDS[name];
    return given[name] ?? (unit === "bytes" ? Math.min(limit, memory / SHARE_OF_BODIES) : limit);
  });

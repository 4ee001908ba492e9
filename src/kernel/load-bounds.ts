import type { Bound } from "./bounds.js";
import { fromKeys, keysOf } from "./keys.js";

const REFUSED = "the simulated API answers 503 with `Retry-After` at once (behaviour `limits.overloadError`)";
const CONTROL_REFUSED = "the control API answers 503 with `Retry-After`";

/** The bounds of what the simulator does at once. `--bound NAME=NUMBER` changes them. */
export const LOAD_BOUNDS = {
  calls: {
    what: "Calls to the simulated API and to sinks under way, over all sandboxes",
    limit: 10_000,
    beyond: `${REFUSED}; sinks answer 503 too`,
  },
  connections: {
    what: "Open connections",
    limit: 10_000,
    beyond: `on those that come later ${REFUSED}, and the connection is closed; the control API answers on them. Twice as many: connections are closed at once`,
  },
  bodyBytes: {
    what: "Bodies of calls to the simulated API and to sinks under way, together; a 32nd of --memory at most",
    limit: 64 * 1024 * 1024,
    unit: "bytes",
    beyond: `for a call with a body that does not fit beside the others ${REFUSED}; sinks answer 503 too`,
  },
  controlBodyBytes: {
    what: "Large bodies (64 KiB and more) of control calls under way, together; a 32nd of --memory at most; one alone is let through",
    limit: 128 * 1024 * 1024,
    unit: "bytes",
    beyond: CONTROL_REFUSED,
  },
  deliveries: {
    what: "Pending deliveries, over all sandboxes",
    limit: 100_000,
    beyond: `for calls that are no GET ${REFUSED}`,
  },
  scenarioRuns: {
    what: "Scenarios that run because they were posted, over all sandboxes",
    limit: 100,
    beyond: CONTROL_REFUSED,
  },
} as const satisfies Record<string, Bound>;

/** The bounds of one simulator's load. */
export type LoadLimits = Readonly<Record<keyof typeof LOAD_BOUNDS, number>>;

/** A value may cost 22 times its text, and calls with delays keep it for as long as they take. */
const SHARE_OF_BODIES = 32;

/** What is given, the table's own for the rest; bodies have a share of the memory at most, since values cost more than texts. */
export const loadLimits = (given: Partial<LoadLimits> = {}, memory = Number.POSITIVE_INFINITY): LoadLimits =>
  fromKeys(keysOf(LOAD_BOUNDS), (name) => {
    const { limit, unit }: Bound = LOAD_BOUNDS[name];
    return given[name] ?? (unit === "bytes" ? Math.min(limit, memory / SHARE_OF_BODIES) : limit);
  });

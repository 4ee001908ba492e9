import { REPORTER_NAMES, REPORTERS } from "../scenarios/reporters.js";
import { DEFAULT_MAX_STEPS } from "../scenarios/step.js";
import { MIN_COVERAGE } from "./coverage.js";
import { EXEC_OPTIONS, TARGET_OPTIONS } from "./exec-options.js";
import type { Values } from "./options.js";
import { asText, flag, oneOf, optional, positive, withDefault, words } from "./options.js";

/** The options of `run`. */
export const RUN_OPTIONS = {
  scenario: words("scenario files, or folders of them"),
  jobs: optional("how many files run at once (default: processor cores)", positive),
  ...TARGET_OPTIONS,
  sandbox: optional("run in this sandbox, reset before each file", asText),
  ...EXEC_OPTIONS,
  keep: flag("start it once for all files, and reset the sandbox between them, with ids apart"),
  reporter: withDefault(REPORTER_NAMES.join(", "), oneOf("reporter", REPORTERS), "pretty"),
  watch: flag("run again when a file changes"),
  "strict-scenario": flag(
    "faults that never fired, unused captures and expectations met by older entries fail the run",
  ),
  "max-steps": optional(
    `how many steps a scenario executes at most, rounds of a repeat counted (default: ${DEFAULT_MAX_STEPS})`,
    positive,
  ),
  coverage: flag("show afterwards which outcomes the system under test has met"),
  "coverage-out": optional("write that into this file: .json, .md or .html", asText),
  min: MIN_COVERAGE,
  "fail-on-warnings": flag("contract warnings fail the run"),
};
export type RunValues = Values<typeof RUN_OPTIONS>;

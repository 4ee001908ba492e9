import { REPORTER_NAMES, REPORTERS } from "../scenarios/reporters/index.js";
import { DEFAULT_MAX_STEPS } from "../scenarios/step.js";
import { MIN_COVERAGE } from "./coverage.js";
import type { Values } from "./options.js";
import {
  address,
  asText,
  baseAddress,
  controlToken,
  duration,
  flag,
  oneOf,
  optional,
  pairs,
  positive,
  withDefault,
  words,
} from "./options.js";

/** The options of `run`. */
export const RUN_OPTIONS = {
  scenario: words("scenario files, or folders of them"),
  jobs: optional("how many files run at once (default: processor cores)", positive),
  url: optional("use the simulator at this address (default: one of its own)", baseAddress),
  "control-token": controlToken("its control token"),
  sandbox: optional("run in this sandbox, reset before each file", asText),
  hook: optional("point all webhooks at the system under test", address),
  exec: optional("start the system under test with this command", asText),
  "ready-within": optional("how long it may take until it is ready (default: 15s)", duration(0)),
  ready: optional(
    "an address that answers with a success once it is ready (default: the port of --hook, else output)",
    address,
  ),
  keep: flag("start it once for all files, and reset the sandbox between them, with ids apart"),
  reporter: withDefault(REPORTER_NAMES.join(", "), oneOf("reporter", REPORTERS), "pretty"),
  out: optional("write the report into this file", asText),
  watch: flag("run again when a file changes"),
  param: pairs("name=value, repeatable"),
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

import { keysOf } from "../kernel/keys.js";
import { type Expectation, readExpectation } from "../load/report.js";
import { LOAD_REPORTERS } from "../load/reporters.js";
import { EXEC_OPTIONS, TARGET_OPTIONS } from "./exec-options.js";
import type { CommandOption, Values } from "./options.js";
import {
  asText,
  duration,
  list,
  oneOf,
  optional,
  port,
  positive,
  rate,
  Unreadable,
  withDefault,
  words,
} from "./options.js";

const expectations = (describe: string): CommandOption<readonly Expectation[]> => ({
  ...list(describe),
  read: (texts) => {
    const read = texts.map(readExpectation);
    const problems = read.filter((each) => typeof each === "string");
    if (problems.length > 0) throw new Unreadable(problems);
    return read.filter((each) => typeof each !== "string");
  },
});

/** The options of `load`. */
export const LOAD_OPTIONS = {
  scenario: words("scenario files, or folders of them: customers play them in turn"),
  customers: optional("so many customers at once; who is through begins anew", positive),
  arrivals: optional("so many new customers a second, such as 50/s, whatever becomes of those before", rate),
  for: withDefault("how long customers come", duration(1), "1m"),
  ramp: withDefault("how long of that the number of customers grows, from none", duration(0), "0s"),
  expect: expectations(
    "p50, p90, p99 (any p), max, mean, failures, timeouts or wrong, and a limit: p99<2s, failures<0.1%; repeatable",
  ),
  ...EXEC_OPTIONS,
  ...TARGET_OPTIONS,
  sandbox: optional("play in this sandbox of it, as it stands (default: default)", asText),
  reporter: optional(
    `${keysOf(LOAD_REPORTERS).join(", ")} (default: as the name of --out says, else pretty)`,
    oneOf("reporter", LOAD_REPORTERS),
  ),
  "metrics-port": optional("serve the figures for Prometheus at this port, while it runs", port),
  "metrics-host": withDefault("at this address of the machine", asText, "127.0.0.1"),
};
export type LoadValues = Values<typeof LOAD_OPTIONS>;

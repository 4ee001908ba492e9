import { keysOf } from "../kernel/keys.js";
import { type Expectation, readExpectation } from "../load/expectation.js";
import { LOAD_REPORTERS } from "../load/reporters.js";
import type { CommandOption, Values } from "./options.js";
import {
  address,
  asText,
  baseAddress,
  controlToken,
  duration,
  list,
  oneOf,
  optional,
  pairs,
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
  hook: optional("point all webhooks at the system under test", address),
  exec: optional("start the system under test with this command", asText),
  "ready-within": optional("how long it may take until it is ready (default: 15s)", duration(0)),
  ready: optional(
    "an address that answers with a success once it is ready (default: the port of --hook, else output)",
    address,
  ),
  url: optional("use the simulator at this address (default: one of its own)", baseAddress),
  "control-token": controlToken("its control token"),
  sandbox: optional("play in this sandbox of it, as it stands (default: default)", asText),
  param: pairs("name=value, repeatable"),
  reporter: optional(
    `${keysOf(LOAD_REPORTERS).join(", ")} (default: as the name of --out says, else pretty)`,
    oneOf("reporter", LOAD_REPORTERS),
  ),
  out: optional("write the report into this file", asText),
  "metrics-port": optional("serve the figures for Prometheus at this port, while it runs", port),
  "metrics-host": withDefault("at this address of the machine", asText, "127.0.0.1"),
};
export type LoadValues = Values<typeof LOAD_OPTIONS>;

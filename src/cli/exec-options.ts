/** The options of every command that works with a system under test. */
import type { Problem } from "../kernel/problems.js";
import { address, asText, baseAddress, controlToken, duration, optional, pairs } from "./options.js";

/** How it is reached, and started. */
export const EXEC_OPTIONS = {
  hook: optional("point all webhooks at the system under test", address),
  exec: optional("start the system under test with this command", asText),
  "ready-within": optional("how long it may take until it is ready (default: 15s)", duration(0)),
  ready: optional(
    "an address that answers with a success once it is ready (default: the port of --hook, else output)",
    address,
  ),
};

/** Which simulator it is tried with, and what the scenarios are given. */
export const TARGET_OPTIONS = {
  url: optional("use the simulator at this address (default: one of its own)", baseAddress),
  "control-token": controlToken("its control token"),
  param: pairs("name=value, repeatable"),
  out: optional("write the report into this file", asText),
};

/** Options that say something about a program which nobody starts. @param names the options that are given */
export const execProblems = (
  exec: string | undefined,
  names: readonly string[],
  others: readonly string[] = [],
): Problem[] =>
  ["ready-within", "ready", ...others]
    .filter((name) => exec === undefined && names.includes(name))
    .map((name) => ({ path: `--${name}`, message: "is for a program: name it with --exec" }));

/** `messaging-sim calibrate --against`: the options of probes, the plan, and the consent to it. */

import { fileURLToPath } from "node:url";
import { isLocalHost } from "../kernel/hosts.js";
import { maskedAddress } from "../kernel/masking.js";
import { keysOf } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { exchangesIn } from "../lab/calibrate/har.js";
import { planProbes, planText, runProbes } from "../lab/calibrate/probes.js";
import { CannotProbe, type ProbedService } from "../lab/calibrate/service-line.js";
import type { Trace } from "../lab/calibrate/trace.js";
import { camelCase } from "../server/config/options.js";
import { asText, baseAddress, flag, optional, port, refused, type Values } from "./command.js";
import { readScenarios } from "./scenario-files.js";
import { INTERRUPTED, OK, onFirstSignal, refuse, type Terminal } from "./terminal.js";

const SHIPPED = fileURLToPath(new URL("../../scenarios/probes", import.meta.url));
/** Where the receiver listens if the URL of --hook is that of a tunnel. */
const HOOK_PORT = 4031;

export const PROBE_OPTIONS = {
  against: optional("address of the service, which receives real calls (see --plan)", baseAddress),
  token: optional("API key of the service", asText),
  thread: optional("thread that probes may read, and with --write also write to", asText),
  customer: optional("customer whose profile probes may read, and with --write also update", asText),
  hook: optional("URL where the service can reach this command with deliveries", baseAddress),
  "hook-port": optional(
    `loopback port for deliveries (default: the port of --hook if it is on this machine, else ${HOOK_PORT})`,
    port,
  ),
  write: flag(
    "also send messages, change status and profile (restored at the end), and create webhooks (deleted at the end)",
  ),
  plan: flag("print the plan, and do nothing"),
  yes: flag("do not ask for confirmation (required without a terminal)"),
};

type ProbeValues = Values<typeof PROBE_OPTIONS>;

/** The problems of the probes' options in combination. */
export function probeProblems(values: ProbeValues): readonly Problem[] {
  if (values.against !== undefined)
    return values.token === undefined && !values.plan
      ? [{ path: "--token", message: "is missing: the API key of the service" }]
      : [];
  return keysOf(PROBE_OPTIONS).flatMap((name) => {
    const value = values[camelCase(name)];
    return value === undefined || value === false
      ? []
      : [{ path: `--${name}`, message: "needs --against URL" }];
  });
}

/** Probes the service after consent; returns an exit code if there is nothing to learn from. `paceMs`: least time between calls. */
export async function probeTrace(
  values: ProbeValues & { readonly against: string },
  terminal: Terminal,
  paceMs?: number,
): Promise<Trace | number> {
  const { against: url, token = "", thread, customer, hook, write } = values;
  const service: ProbedService = { url, token, thread, customer, hook, write };
  const params = Object.entries({ token, thread, customer, hook }).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  const { scenarios, problems } = await readScenarios([SHIPPED], Object.fromEntries(params));
  if (problems.length > 0) return refuse(terminal, problems);
  const plan = planProbes(scenarios, service);
  const text = planText(plan, maskedAddress(url));
  if (values.plan) {
    terminal.out(text);
    return OK;
  }
  if (!values.yes) {
    terminal.err(text);
    if (!(await consents(terminal)))
      refused("nothing was sent: type yes, or pass --yes without a terminal", "--yes");
  }
  const ended = new AbortController();
  const undoing = () => terminal.err("undoing the changes of the probes, with a few more calls\n");
  const stopListening = onFirstSignal(() => {
    undoing();
    ended.abort();
  }, undoing);
  try {
    const { entries, problems: unsolved } = await runProbes(plan, service, {
      hookPort: values.hookPort ?? portOf(hook),
      signal: ended.signal,
      onProbe: (name) => terminal.err(`${name}\n`),
      ...(paceMs !== undefined && { paceMs }),
    });
    for (const problem of unsolved) terminal.err(`${problem}\n`);
    return ended.signal.aborted ? INTERRUPTED : exchangesIn(entries, "probes");
  } catch (error) {
    if (error instanceof CannotProbe)
      return refuse(terminal, [{ path: error.option, message: error.message }]);
    throw error;
  } finally {
    stopListening();
  }
}

async function consents({ isInteractive, lines, err }: Terminal): Promise<boolean> {
  if (isInteractive !== true || lines === undefined) return false;
  err("Real people may read these messages. Type yes to continue: ");
  const typed = lines();
  for await (const line of typed) {
    typed.close();
    return line.trim() === "yes";
  }
  return false;
}

function portOf(hook: string | undefined): number {
  const { hostname = "", port: named = "" } = hook === undefined ? {} : new URL(hook);
  return isLocalHost(hostname) && named !== "" ? Number(named) : HOOK_PORT;
}

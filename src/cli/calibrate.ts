/** `messaging-sim calibrate`: compares recordings of the real service with the table of undocumented behaviour. */

import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { reasonOf } from "../kernel/errors.js";
import { isLocalHost } from "../kernel/hosts.js";
import { maskedAddress } from "../kernel/masking.js";
import { keysOf, omitUndefined } from "../kernel/objects.js";
import type { Problem } from "../kernel/problems.js";
import { UnusableDocument } from "../kernel/problems.js";
import { jsonText } from "../kernel/reports.js";
import { exchangesIn, readTrace } from "../lab/calibrate/har.js";
import { planProbes, planText, runProbes } from "../lab/calibrate/probes.js";
import {
  expectation,
  markdownCalibration,
  observedFile,
  prettyCalibration,
} from "../lab/calibrate/report.js";
import { CannotProbe, type ProbedService } from "../lab/calibrate/service-line.js";
import type { Trace } from "../lab/calibrate/trace.js";
import { camelCase } from "../server/config/options.js";
import {
  asText,
  baseAddress,
  command,
  flag,
  optional,
  optionalWords,
  port,
  refused,
  reporters,
  type Values,
} from "./command.js";
import { readText } from "./files.js";
import { readScenarios } from "./scenario-files.js";
import { FAILED, INTERRUPTED, OK, onFirstSignal, refuse, type Terminal } from "./terminal.js";

const REPORTERS = {
  pretty: prettyCalibration,
  json: jsonText,
  markdown: markdownCalibration,
};

const SHIPPED = fileURLToPath(new URL("../../scenarios/probes", import.meta.url));
/** Where the receiver listens if the URL of --hook is that of a tunnel. */
const HOOK_PORT = 4031;

const PROBE_OPTIONS = {
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

/** `messaging-sim calibrate <recording.har…>`, or `--against URL` */
export const CALIBRATE = command({
  options: {
    recording: optionalWords(
      "HAR files from messaging-sim proxy, a browser, mitmproxy or Playwright; not with --against",
    ),
    ...PROBE_OPTIONS,
    fixtures: optional("fixture file with the state at the start of the recording", asText),
    out: optional("behaviour file to write the measured values to, with their evidence", asText),
    expect: optional(
      "behaviour file of an earlier calibration; exit code 1 if something has changed",
      asText,
    ),
    reporter: reporters(REPORTERS),
  },
  examples: {
    "messaging-sim calibrate session.har --out observed.yaml":
      "measures the service that session.har was recorded from",
    "messaging-sim calibrate tonight.har --expect observed.yaml --reporter markdown":
      "reports changes since then",
    "messaging-sim calibrate --against https://api.example --token KEY --thread 9001 --plan":
      "shows the plan of the probes",
  },
  exits: {
    0: "nothing contradicts the specification, and nothing has changed",
    1: "the service contradicts the specification, or has changed since --expect",
    2: "a file or option is unusable, or the service cannot be probed",
    130: "the probes were interrupted, and their changes undone",
  },
  problems: probeProblems,
  run: async ({ recording, fixtures, out, expect, reporter, against, ...probes }, terminal) => {
    if ((recording.length === 0) === (against === undefined))
      return refused("name HAR files, or the service with --against", "recording");
    const { learn } = await import("../lab/calibrate/learn.js");
    const fixture = fixtures === undefined ? undefined : await fixtureIn(fixtures);
    const before = expect === undefined ? undefined : await behaviourIn(expect);
    const trace =
      against === undefined ? await readTrace(recording) : await probeTrace({ ...probes, against }, terminal);
    if (typeof trace === "number") return trace;
    const calibration = await learn(trace, { fixture });
    if (out !== undefined)
      await writeFile(out, observedFile(calibration)).catch((error) =>
        refused(`cannot be written: ${reasonOf(error)}`, "--out"),
      );
    const expected =
      expect === undefined || before === undefined ? undefined : expectation(expect, before, calibration);
    const ok = calibration.ok && (expected?.drift.length ?? 0) === 0;
    terminal.out(REPORTERS[reporter]({ ...calibration, ok, ...omitUndefined({ expected }) }));
    return ok ? OK : FAILED;
  },
});

async function fixtureIn(file: string) {
  const { FixtureLoader } = await import("../service/world/load.js");
  const loaded = await new FixtureLoader().readFixtureText(await readText(file), file);
  if (loaded.problems !== undefined) throw new UnusableDocument(loaded.problems);
  return loaded.document;
}

async function behaviourIn(file: string) {
  const { filesOf } = await import("../server/start.js");
  const read = await filesOf({ behaviour: file });
  return typeof read.behaviour === "object" ? read.behaviour : {};
}

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

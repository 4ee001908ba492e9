/** `messaging-sim compare`: the simulator beside another address, usually the real service. */
import { fileURLToPath } from "node:url";
import { omitUndefined } from "../kernel/objects.js";
import { jsonText } from "../kernel/printable.js";
import { UnusableDocument } from "../kernel/problems.js";
import { compareScenarios } from "../lab/comparison/compare.js";
import { paceOf } from "../lab/comparison/other-side.js";
import { planOf } from "../lab/comparison/probes.js";
import { markdownComparison, observedFile, prettyComparison } from "../lab/comparison/report.js";
import { behaviourIn } from "../server/config/files.js";
import {
  asText,
  baseAddress,
  command,
  flag,
  optional,
  optionalWords,
  pairs,
  refused,
  reporters,
  required,
} from "./command.js";
import { printOrWrite, readDocument } from "./files.js";
import { readScenarios } from "./scenario-files.js";
import { FAILED, INTERRUPTED, OK, onFirstSignal, refuse, type Terminal } from "./terminal.js";

const REPORTERS = { pretty: prettyComparison, json: jsonText, markdown: markdownComparison };
const PROBES = fileURLToPath(new URL("../../scenarios/probes", import.meta.url));

/** `messaging-sim compare [scenario…] --against URL --token KEY` */
export const COMPARE = command({
  options: {
    scenario: optionalWords("scenario files, or folders of them; default: the probes that ship"),
    against: required(
      "the other server, which receives real calls",
      baseAddress,
      "the address of the other server",
    ),
    token: optional("API key of the other server, in place of the scenario's token", asText),
    "token-for": pairs("fixture-token=KEY for each further token of a scenario (repeatable)"),
    param: pairs("scenario parameter, as name=value (repeatable)"),
    thread: optional("thread that probes may read, and write to with --write", asText),
    customer: optional("customer whose profile probes may read, and change with --write", asText),
    write: flag("also send messages, change status and profile (set back), and make webhooks (deleted)"),
    plan: flag("print the plan, and do nothing"),
    yes: flag("do not ask for confirmation (required without a terminal)"),
    out: optional("behaviour file for the observed values, with their evidence", asText),
    expect: optional("behaviour file of an earlier comparison; exit code 1 on changes", asText),
    reporter: reporters(REPORTERS),
  },
  examples: {
    "messaging-sim compare requests.yaml --against http://127.0.0.1:4020 --token acme-token":
      "sends the scenario's requests to both sides",
    "messaging-sim compare --against http://127.0.0.1:4020 --token acme-token --yes --out observed.yaml":
      "sends the probes that read, and keeps what they observe",
  },
  exits: {
    0: "the responses agree",
    1: "responses differ, are not as the scenario expects, or have changed since --expect",
    2: "a file or option is invalid, the server does not respond or refuses the token, or nothing was compared",
    130: "interrupted; the changes of probes were undone",
  },
  problems: ({ token, plan }) =>
    token === undefined && !plan
      ? [{ path: "--token", message: "is missing: the API key of the other server" }]
      : [],
  run: async (values, terminal) => {
    const { scenario: files, against: url, token = "", thread, customer, write, out, expect } = values;
    const scope = files.length === 0 ? { thread, customer, write } : undefined;
    const params = { ...values.param, ...omitUndefined({ thread, customer }) };
    const { scenarios, problems } = await readScenarios(scope ? [PROBES] : files, params);
    if (problems.length > 0) return refuse(terminal, problems);
    const expected = expect === undefined ? undefined : await readObserved(expect);
    const { chosen, text } = planOf(scenarios, scope ?? { write: true }, url);
    if (values.plan) {
      terminal.out(text);
      return OK;
    }
    const asks = (scope !== undefined || paceOf(url) > 0) && !values.yes;
    if (asks && !(await consents(terminal, text)))
      refused("nothing was sent: type yes, or pass --yes without a terminal", "--yes");
    const ended = new AbortController();
    const undo = () => {
      terminal.err("interrupted: the changes of probes are being undone\n");
      ended.abort();
    };
    const stopListening = onFirstSignal(undo, undo);
    const { createSimulator } = await import("../server/simulator.js");
    // The other side's receivers must not hear from the simulator.
    const server = await createSimulator({ faults: [{ on: "delivery", then: { drop: "before" } }] });
    try {
      const against = { url, token, tokens: values.tokenFor, ended };
      const tell = (line: string) => terminal.err(`${line}\n`);
      const comparison = await compareScenarios(chosen, { server, against, scope, expected, tell });
      if (comparison.scenarios.every(({ compared }) => compared === 0))
        refused("nothing was compared: no request reached both sides");
      if (out !== undefined) await printOrWrite(observedFile(comparison.observed), out, terminal);
      terminal.out(REPORTERS[values.reporter](comparison));
      return comparison.ok ? OK : FAILED;
    } catch (error) {
      if (ended.signal.aborted && !(error instanceof UnusableDocument)) return INTERRUPTED;
      throw error;
    } finally {
      stopListening();
      await server.close();
    }
  },
});

/** The values of an earlier comparison's behaviour file. @throws UnusableDocument */
async function readObserved(file: string) {
  const document = await readDocument(file);
  if (document.problems) throw new UnusableDocument(document.problems);
  const { problems, values } = await behaviourIn(document);
  if (problems.length > 0 || values === undefined) throw new UnusableDocument(problems);
  return { file, values };
}

async function consents({ isInteractive, lines, err }: Terminal, plan: string): Promise<boolean> {
  err(plan);
  if (isInteractive !== true || lines === undefined) return false;
  err("Real people may read these messages. Type yes to continue: ");
  const typed = lines();
  for await (const line of typed) {
    typed.close();
    return line.trim() === "yes";
  }
  return false;
}

import { SimError } from "../client/errors.js";
import { compareScenarios, TokenRefused, Unreachable } from "../comparison/compare.js";
import { ignoredPath } from "../comparison/differences.js";
import type { Comparison } from "../comparison/report.js";
import { prettyComparison } from "../comparison/text.js";
import { printable, printableLines } from "../kernel/printable.js";
import { UnusableScenario } from "../scenarios/prepare.js";
import { command } from "./command.js";
import { behaviourCandidates } from "./compare-candidates.js";
import {
  asText,
  baseAddress,
  duration,
  list,
  oneOf,
  pairs,
  required,
  withDefault,
  words,
} from "./options.js";
import { readScenarios } from "./scenario-files.js";
import { OK, refuse, UNUSABLE } from "./terminal.js";

/** Exit code: the answers differ. */
const DIFFERENT = 1;

const REPORTERS = {
  pretty: prettyComparison,
  json: (comparison: Comparison) => printableLines(`${JSON.stringify(comparison, null, 2)}\n`),
};

/** `messaging-sim compare <scenario…> --against URL --token TOKEN` */
export const COMPARE = command({
  options: {
    scenario: words("scenario files, or folders of them"),
    against: required(
      "the other address; requests are really sent there",
      baseAddress,
      "compare sends requests only to an address that is given",
    ),
    token: required(
      "the API key there, in place of the scenario's token",
      asText,
      "the API key with which the other address is called",
    ),
    "token-for": pairs("fixture-token=KEY for each further token of a scenario, repeatable"),
    param: pairs("name=value for both sides, repeatable"),
    "against-param": pairs("name=value for the other side alone, repeatable"),
    ignore: list("a path that may differ, such as body.templates[*].text; repeatable"),
    timeout: withDefault("how long an answer of the other side may take", duration(1), "30s"),
    reporter: withDefault(Object.keys(REPORTERS).join(", "), oneOf("reporter", REPORTERS), "pretty"),
  },
  examples: [
    [
      "messaging-sim compare requests.yaml --against http://127.0.0.1:4020 --token acme-token",
      "sends the scenario's requests to both sides",
    ],
  ],
  exits: {
    0: "the answers agree",
    1: "the answers differ",
    2: "a file or an option is unusable, the other side does not answer, or nothing was compared",
  },
  run: async (values, terminal) => {
    const { scenario: paths, token, timeout: timeoutMs, param: params } = values;
    const against = { url: values.against, token, tokens: values.tokenFor, timeoutMs };
    const ignored = values.ignore.map(ignoredPath);
    const own = await readScenarios(paths, params);
    const other = await readScenarios(paths, { ...params, ...values.againstParam });
    if (own.problems.length > 0) return refuse(terminal, own.problems);
    if (other.problems.length > 0) return refuse(terminal, other.problems);
    const pairs = own.scenarios.map((scenario, index) => ({
      own: scenario,
      other: other.scenarios[index] as typeof scenario,
    }));
    const { createSimulator } = await import("../simulator.js");
    const simulator = await createSimulator();
    try {
      const candidates = behaviourCandidates();
      const comparison = await compareScenarios(pairs, simulator, against, { ignored, candidates });
      terminal.out(REPORTERS[values.reporter](comparison));
      if (comparison.scenarios.some(({ failures }) => failures.length > 0)) return UNUSABLE;
      if (!comparison.ok) return DIFFERENT;
      if (comparison.scenarios.some(({ compared }) => compared > 0)) return OK;
      return refuse(terminal, [{ path: "", message: "nothing was compared: no request reached both sides" }]);
    } catch (error) {
      if (error instanceof UnusableScenario) return refuse(terminal, error.problems);
      if (error instanceof Unreachable)
        return refuse(terminal, [{ path: "--against", message: error.message }]);
      if (error instanceof TokenRefused)
        return refuse(terminal, [{ path: `--${error.option}`, message: error.message }]);
      if (!(error instanceof SimError)) throw error;
      terminal.err(`${printable(error.message)}\n`);
      return UNUSABLE;
    } finally {
      await simulator.close();
    }
  },
});

import { SimError } from "../client/errors.js";
import { type Against, compareScenarios, TokenRefused, Unreachable } from "../comparison/compare.js";
import { type IgnoredPath, ignoredPath } from "../comparison/differences.js";
import type { Comparison } from "../comparison/report.js";
import { prettyComparison } from "../comparison/text.js";
import { milliseconds } from "../kernel/duration.js";
import type { Problem } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import { UnusableScenario } from "../scenarios/prepare.js";
import type { CommandModule } from "./command.js";
import { behaviourCandidates } from "./compare-candidates.js";
import { readScenarios } from "./scenario-files.js";
import { OK, refuse, UNUSABLE } from "./terminal.js";

/** Exit code: the answers differ. */
const DIFFERENT = 1;

const REPORTERS: Readonly<Record<string, (comparison: Comparison) => string>> = {
  pretty: prettyComparison,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
};

const text = { type: "string", requiresArg: true } as const;
const list = { ...text, array: true, nargs: 1 } as const;

/** `messaging-sim compare <scenario…> --against URL --token TOKEN` */
export const COMPARE: CommandModule = {
  declare: (yargs) =>
    yargs
      .positional("scenario", {
        type: "string",
        describe: "scenario files, or folders of them",
        demandOption: true,
      })
      .options({
        against: { ...text, describe: "the other address; requests are really sent there" },
        token: { ...text, describe: "the API key there, in place of the scenario's token" },
        "token-for": {
          ...list,
          describe: "fixture-token=KEY for each further token of a scenario, repeatable",
        },
        param: { ...list, describe: "name=value for both sides, repeatable" },
        "against-param": { ...list, describe: "name=value for the other side alone, repeatable" },
        ignore: { ...list, describe: "a path that may differ, such as body.templates[*].text; repeatable" },
        timeout: { ...text, default: "30s", describe: "how long an answer of the other side may take" },
        reporter: { ...text, default: "pretty", describe: Object.keys(REPORTERS).join(", ") },
      }),
  run: async (args, terminal) => {
    const { problems, against, ignored, params, otherParams, print } = optionsOf(args);
    if (problems.length > 0) return refuse(terminal, problems);
    const paths = [args.scenario].flat() as string[];
    const own = await readScenarios(paths, params);
    const other = await readScenarios(paths, { ...params, ...otherParams });
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
      terminal.out(print(comparison));
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
      terminal.err(`${error.message}\n`);
      return UNUSABLE;
    } finally {
      await simulator.close();
    }
  },
};

interface CompareCommand {
  readonly problems: readonly Problem[];
  readonly against: Against;
  readonly ignored: readonly IgnoredPath[];
  readonly params: Readonly<Record<string, string>>;
  readonly otherParams: Readonly<Record<string, string>>;
  readonly print: (comparison: Comparison) => string;
}

function optionsOf(args: Readonly<Record<string, unknown>>): CompareCommand {
  const problems: Problem[] = [];
  const wrong = (name: string, message: string) => void problems.push({ path: `--${name}`, message });
  const all = (name: string) => (args[name] as string[] | undefined) ?? [];
  const pairs = (name: string): Record<string, string> =>
    Object.fromEntries(
      all(name).flatMap((pair) => {
        const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
        if (key !== undefined && value !== undefined) return [[key, value]];
        wrong(name, `must be name=value, but is "${pair}"`);
        return [];
      }),
    );
  const url = args.against as string | undefined;
  if (url === undefined)
    wrong("against", "is missing: compare sends requests only to an address that is given");
  else if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    wrong("against", `must be an http or https URL, but is "${url}"`);
  const token = args.token as string | undefined;
  if (token === undefined) wrong("token", "is missing: the API key with which the other address is called");
  const timeoutMs = milliseconds(args.timeout as never);
  if (!(timeoutMs > 0)) wrong("timeout", `must be a duration such as 30s, but is "${args.timeout}"`);
  const reporter = String(args.reporter);
  const print = Object.hasOwn(REPORTERS, reporter) ? REPORTERS[reporter] : undefined;
  if (print === undefined) wrong("reporter", unknownKey("reporter", reporter, Object.keys(REPORTERS)));
  return {
    params: pairs("param"),
    otherParams: pairs("against-param"),
    ignored: all("ignore").map(ignoredPath),
    print: print ?? prettyComparison,
    against: {
      url: (url ?? "").replace(/\/+$/, ""),
      token: token ?? "",
      tokens: pairs("token-for"),
      timeoutMs,
    },
    problems,
  };
}

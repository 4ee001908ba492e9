/** `messaging-sim compare`, and the behaviour values with which it tries to explain differences. */

import { isDeepStrictEqual } from "node:util";
import { fromKeys } from "../kernel/objects.js";
import { jsonText } from "../kernel/reports.js";
import { type Candidates, compareScenarios, OtherSideFailed } from "../lab/comparison/compare.js";
import { ignoredPath } from "../lab/comparison/differences.js";
import { prettyComparison } from "../lab/comparison/report.js";
import { answerSchema, type Entry } from "../service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, type BehaviourKey } from "../service/behaviour/table.js";
import { CHANNELS, THREAD_STATUSES } from "../service/world/records.js";
import {
  asText,
  baseAddress,
  command,
  duration,
  list,
  pairs,
  refused,
  reporters,
  required,
  withDefault,
  words,
} from "./command.js";
import { readScenarios } from "./scenario-files.js";
import { FAILED, OK, refuse, UNUSABLE } from "./terminal.js";

const REPORTERS = {
  pretty: prettyComparison,
  json: jsonText,
};

/** `messaging-sim compare <scenario…> --against URL --token TOKEN` */
export const COMPARE = command({
  options: {
    scenario: words("scenario files, or folders of them"),
    against: required(
      "the other server, which receives real requests",
      baseAddress,
      "the address of the other server",
    ),
    token: required(
      "API key of the other server, in place of the scenario's token",
      asText,
      "the API key of the other server",
    ),
    "token-for": pairs("fixture-token=KEY for each further token of a scenario (repeatable)"),
    param: pairs("scenario parameter for both sides, as name=value (repeatable)"),
    "against-param": pairs("scenario parameter for the other server only, as name=value (repeatable)"),
    ignore: list("path that may differ, such as body.templates[*].text (repeatable)", ignoredPath),
    timeout: withDefault("time limit for a response of the other server", duration(1), "30s"),
    reporter: reporters(REPORTERS),
  },
  examples: {
    "messaging-sim compare requests.yaml --against http://127.0.0.1:4020 --token acme-token":
      "sends the scenario's requests to both sides",
  },
  exits: {
    0: "the responses agree",
    1: "the responses differ",
    2: "a file or option is unusable, the other server does not respond, or nothing was compared",
  },
  run: async (values, terminal) => {
    const { scenario: paths, token, timeout: timeoutMs, param: params } = values;
    const against = { url: values.against, token, tokens: values.tokenFor, timeoutMs };
    const own = await readScenarios(paths, params);
    const other = await readScenarios(paths, { ...params, ...values.againstParam });
    if (own.problems.length > 0) return refuse(terminal, own.problems);
    if (other.problems.length > 0) return refuse(terminal, other.problems);
    const pairs = own.scenarios.map((scenario, index) => ({
      own: scenario,
      other: other.scenarios[index] as typeof scenario,
    }));
    const { createSimulator } = await import("../server/simulator.js");
    const simulator = await createSimulator();
    try {
      const candidates = behaviourCandidates();
      const comparison = await compareScenarios(pairs, simulator, against, {
        ignored: values.ignore,
        candidates,
      });
      terminal.out(REPORTERS[values.reporter](comparison));
      if (comparison.scenarios.some(({ failures }) => failures.length > 0)) return UNUSABLE;
      if (!comparison.ok) return FAILED;
      if (comparison.scenarios.some(({ compared }) => compared > 0)) return OK;
      return refused("nothing was compared: no request reached both sides");
    } catch (error) {
      if (error instanceof OtherSideFailed) refused(error.message, `--${error.option}`);
      throw error;
    } finally {
      await simulator.close();
    }
  },
});

/** The behaviour values to try, for the entries whose values can be listed. */
export function behaviourCandidates(): Candidates {
  const entries = BEHAVIOUR_KEYS.map((key): { key: BehaviourKey; entry: Entry } => ({
    key,
    entry: BEHAVIOUR_TABLE[key],
  }));
  return {
    answers: entries.filter(({ entry }) => entry.schema === answerSchema).map(({ key }) => key),
    // Only receivers of deliveries can observe those of events.
    policies: entries
      .filter(({ entry }) => entry.schema !== answerSchema && !entry.section.startsWith("Events"))
      .map(({ key, entry }) => ({
        key,
        default: entry.default,
        alternatives: (current: unknown) =>
          valuesToTry(key, entry, current).filter((value) => !isDeepStrictEqual(value, current)),
      }))
      .filter((policy) => policy.alternatives(policy.default).length > 0),
  };
}

function valuesToTry(key: BehaviourKey, { schema, default: preset, realistic }: Entry, current: unknown) {
  if (key === "threadStatus.transitions") return [preset, ...narrower(current)];
  const items = key === "window.channels" ? CHANNELS : schema.items?.enum;
  if (items !== undefined) return nearestFirst(subsets(items), current as readonly unknown[]);
  const values = [schema, ...(schema.anyOf ?? [])].flatMap((form) => form.enum ?? []);
  return realistic === undefined ? values : [...values, realistic, preset];
}

function subsets(items: readonly unknown[]): unknown[][] {
  const all: unknown[][] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

/** Lists most similar to the current one first. */
function nearestFirst(lists: readonly unknown[][], current: readonly unknown[]): unknown[][] {
  const common = (list: readonly unknown[]) => list.filter((item) => current.includes(item)).length;
  const apart = (list: readonly unknown[]) => list.length + current.length - 2 * common(list);
  return [...lists].sort((a, b) => apart(a) - apart(b));
}

type Moves = Readonly<Record<string, readonly string[]>>;

/** The current transitions with one left out, for each of them; `any` stands for all. */
function narrower(current: unknown): Moves[] {
  const all = fromKeys(THREAD_STATUSES, (from) => THREAD_STATUSES.filter((to) => to !== from));
  const moves: Moves = current === "any" ? all : (current as Moves);
  return Object.entries(moves).flatMap(([from, targets]) =>
    targets.map((target) => ({ ...moves, [from]: targets.filter((one) => one !== target) })),
  );
}

/** `messaging-sim compare`, and the behaviour values with which it tries to explain differences. */

import { jsonText } from "../kernel/reports.js";
import type { Schema } from "../kernel/schema.js";
import type { Candidates } from "../lab/comparison/compare.js";
import { compareScenarios, OtherSideFailed } from "../lab/comparison/compare.js";
import { ignoredPath } from "../lab/comparison/differences.js";
import type { Comparison } from "../lab/comparison/report.js";
import { prettyComparison } from "../lab/comparison/report.js";
import { answerSchema, type Entry } from "../service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../service/behaviour/table.js";
import { CHANNELS } from "../service/world/records.js";
import {
  asText,
  baseAddress,
  command,
  duration,
  list,
  oneOf,
  pairs,
  required,
  withDefault,
  words,
} from "./command.js";
import { readScenarios } from "./scenario-files.js";
import { OK, refuse, UNUSABLE } from "./terminal.js";

/** Exit code: the answers differ. */
const DIFFERENT = 1;

const REPORTERS = {
  pretty: prettyComparison,
  json: (comparison: Comparison) => jsonText(comparison),
};

/** `messaging-sim compare <scenario…> --against URL --token TOKEN` */
export const COMPARE = command({
  options: {
    scenario: words("scenario files, or folders of them"),
    against: required(
      "the other server; requests are really sent to it",
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
    ignore: list("path that may differ, such as body.templates[*].text (repeatable)"),
    timeout: withDefault("time limit for an answer of the other server", duration(1), "30s"),
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
    2: "a file or option is unusable, the other server does not answer, or nothing was compared",
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
    const { createSimulator } = await import("../server/simulator.js");
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
      if (error instanceof OtherSideFailed)
        return refuse(terminal, [{ path: `--${error.option}`, message: error.message }]);
      throw error;
    } finally {
      await simulator.close();
    }
  },
});

type Alternatives = (current: unknown) => readonly unknown[];

/** Lists with free text as items, and the items worth trying. */
const ITEMS: Readonly<Record<string, readonly string[]>> = { "window.channels": CHANNELS };

/** Only receivers of deliveries can observe these. */
const isOfDeliveries = ({ section }: Entry): boolean => section.startsWith("Events");

export function behaviourCandidates(): Candidates {
  const entries = BEHAVIOUR_KEYS.map((key) => ({ key, entry: BEHAVIOUR_TABLE[key] as Entry }));
  return {
    answers: entries.filter(({ entry }) => entry.schema === answerSchema).map(({ key }) => key),
    policies: entries.flatMap(({ key, entry }) => {
      const alternatives = alternativesOf(key, entry);
      return alternatives === undefined || isOfDeliveries(entry)
        ? []
        : [{ key, default: entry.default, alternatives }];
    }),
  };
}

function alternativesOf(key: string, entry: Entry): Alternatives | undefined {
  const { schema, default: initial, realistic } = entry;
  if (schema === answerSchema) return undefined;
  const listed = [...choicesOf(schema), ...(realistic === undefined ? [] : [realistic, initial])];
  const items = ITEMS[key] ?? enumIn(schema.items);
  const map = mapForm(schema);
  if (listed.length === 0 && items === undefined && map === undefined) return undefined;
  return (current) =>
    [
      ...listed,
      ...(items === undefined ? [] : nearestFirst(subsets(items), current as readonly string[])),
      ...(map === undefined ? [] : narrower(map, current)),
    ].filter((value) => JSON.stringify(value) !== JSON.stringify(current));
}

const enumIn = (schema: unknown): readonly string[] | undefined =>
  (schema as { readonly enum?: readonly string[] } | undefined)?.enum;

/** The choices of an entry, or of one of its forms. */
const choicesOf = (schema: Schema): readonly unknown[] => [
  ...(enumIn(schema) ?? []),
  ...((schema.anyOf as readonly Schema[] | undefined) ?? []).flatMap((form) => enumIn(form) ?? []),
];

function subsets(items: readonly string[]): string[][] {
  const all: string[][] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

/** Lists most similar to the current one first. */
function nearestFirst(lists: readonly string[][], current: readonly string[]): string[][] {
  const apart = (list: readonly string[]) =>
    list.filter((item) => !current.includes(item)).length +
    current.filter((item) => !list.includes(item)).length;
  return [...lists].sort((a, b) => apart(a) - apart(b));
}

type Moves = Readonly<Record<string, readonly string[]>>;
interface MapForm {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** The form of an entry that maps names to lists of names. */
function mapForm(schema: Schema): MapForm | undefined {
  for (const form of (schema.anyOf as readonly Schema[] | undefined) ?? []) {
    const keys = enumIn(form.propertyNames);
    const values = enumIn((form.additionalProperties as Schema | undefined)?.items);
    if (keys !== undefined && values !== undefined) return { keys, values };
  }
  return undefined;
}

/** Maps that allow one transition less than the current one; anything but a map allows all of them. */
function narrower({ keys, values }: MapForm, current: unknown): Moves[] {
  const all = () => Object.fromEntries(keys.map((key) => [key, values.filter((value) => value !== key)]));
  const moves = (typeof current === "object" ? current : all()) as Moves;
  return Object.entries(moves).flatMap(([from, targets]) =>
    targets.map((target) => ({ ...moves, [from]: targets.filter((one) => one !== target) })),
  );
}

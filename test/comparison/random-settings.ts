/** Random settings of the entries that probes tell apart, and what a comparison finds of them. */
import { readScenarios } from "../../src/cli/scenario-files.js";
import { Random } from "../../src/kernel/random.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { type AnswerTemplate, answerSchema, type BehaviourEntry } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_TABLE, type BehaviourKey } from "../../src/service/behaviour/table.js";
import { probeWith, startService } from "./support.js";

const LISTS: Partial<Record<BehaviourKey, readonly unknown[]>> = {
  "webhooks.graphqlEvents": [["messages", "transfers"], ["transfers"], []],
  "threadStatus.transitions": [
    { waiting: ["replied", "resolved"], replied: ["waiting", "resolved"], resolved: ["replied"] },
    { waiting: ["replied"], replied: ["waiting", "resolved"], resolved: ["waiting"] },
    { waiting: ["resolved"], replied: [], resolved: [] },
  ],
};

/** The entries that the probes claim to tell apart. */
export async function told(write: boolean): Promise<readonly BehaviourKey[]> {
  const { scenarios } = await readScenarios(["scenarios/probes"]);
  const probes = scenarios.flatMap(({ probe }) => (probe && (write || !probe.writes) ? [probe] : []));
  return [...new Set(probes.flatMap(({ tells }) => tells))] as BehaviourKey[];
}

function otherValue(key: BehaviourKey, random: Random): unknown {
  const one = (list: readonly unknown[]) => list[Math.floor(random.fraction() * list.length)];
  const entry: BehaviourEntry = BEHAVIOUR_TABLE[key];
  if (entry.schema !== answerSchema) return one(LISTS[key] ?? (alternativesOf(entry) as readonly unknown[]));
  const { status } = entry.default as AnswerTemplate;
  const statuses = status >= 400 ? [400, 401, 403, 404, 409, 422, status] : [200, 201, 202];
  return {
    status: one(statuses),
    body: one([{ says: `this is ${key}` }, {}, [], "text", { error: { code: 7 } }]),
  };
}

/** Compares with a service that has other values of about a third of the entries. */
export async function outcomeOf(seed: number, write: boolean) {
  const random = new Random(seed);
  const keys = await told(write);
  const secret = Object.fromEntries(
    keys.flatMap((key) => (random.fraction() < 0.3 ? [[key, otherValue(key, random)]] : [])),
  );
  const { url } = await startService(secret);
  const { report } = await probeWith(url, write ? ["--write"] : []);
  const observed = new Map<string, unknown>(report.observed.map(({ key, value }) => [key, value]));
  const rightValue = (key: string) => secret[key] ?? BEHAVIOUR_TABLE[key as BehaviourKey].default;
  const isRight = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(rightValue(key));
  return {
    contradictions: report.contradictions,
    changed: Object.keys(secret),
    missed: Object.keys(secret).filter((key) => !observed.has(key)),
    untold: keys.filter((key) => !observed.has(key)),
    wrong: [...observed].filter((one) => !isRight(one)),
  };
}

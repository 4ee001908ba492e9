/** Searches for behaviour values with which the simulator answers like the other side. */
import { isObject } from "../../kernel/json.js";
import type { TracedCall } from "../../scenarios/trace.js";
import { isSuccess, type Matched } from "./differences.js";
import type { Proposal } from "./report.js";

export type Values = Readonly<Record<string, unknown>>;

export interface Candidates {
  /** Entries with values that can be listed. */
  readonly policies: readonly {
    readonly key: string;
    readonly default: unknown;
    /** Values to try instead, nearest first. */
    readonly alternatives: (current: unknown) => readonly unknown[];
  }[];
  /** Entries whose value is a whole answer, which can be copied from the other side. */
  readonly answers: readonly string[];
}

/** Runs every scenario on the simulator with these values, and compares it with the other side. */
type Evaluate = (values: Values) => Promise<Matched>;

const MAX_ROUNDS = 6;
/** A shorter text may occur in an answer by chance. */
const MIN_ECHO = 3;

/**
 * @param start the comparison without any value
 * @param isSet whether a scenario sets a key itself, so that the default is worth trying too
 */
export async function propose(
  evaluate: Evaluate,
  start: Matched,
  candidates: Candidates,
  isSet: (key: string) => boolean,
): Promise<Proposal | null> {
  let values: Values = {};
  let best = start;
  const improve = async (key: string, alternatives: readonly unknown[]): Promise<void> => {
    let found: { values: Values; matched: Matched } | undefined;
    for (const value of alternatives) {
      const tried = { ...values, [key]: value };
      const matched = await evaluate(tried);
      if (matched.distance < (found?.matched ?? best).distance) found = { values: tried, matched };
      if (matched.distance === 0) break;
    }
    if (found !== undefined) ({ values, matched: best } = found);
  };

  for (let round = 0, before = Number.POSITIVE_INFINITY; round < MAX_ROUNDS; round += 1) {
    if (best.distance === 0 || best.distance === before) break;
    before = best.distance;
    // Policies come before answers: copying a refusal must not hide its reason.
    for (const { key, default: initial, alternatives } of candidates.policies) {
      const { [key]: current = initial } = values;
      const isOpen = isSet(key) && values[key] === undefined;
      if (best.distance > 0) await improve(key, [...(isOpen ? [initial] : []), ...alternatives(current)]);
    }
    for (const key of candidates.answers) {
      const answers = answersFor(key, best);
      if (answers.length > 0) await improve(key, answers);
    }
  }

  for (const key of Object.keys(values)) {
    const { [key]: _, ...others } = values;
    const matched = await evaluate(others);
    if (matched.distance <= best.distance) [values, best] = [others, matched];
  }
  if (Object.keys(values).length === 0) return null;
  const last = await evaluate(values);
  return {
    values,
    complete: last.distance === 0,
    remaining: last.differing.length,
    uncertain: start.differing.some(({ difference }) => difference.after.length > 0),
  };
}

/** The other side's answers where this entry decided the simulator's: verbatim, then with placeholders for what they echo. */
function answersFor(key: string, { differing }: Matched): unknown[] {
  const usable = differing.flatMap(({ difference, own, other }) =>
    difference.behaviour === key && own && other && isUsable(own, other) ? other : [],
  );
  const plain = usable.map(({ status, body = null }) => ({ status, body }));
  const general = usable.map((other) => ({ status: other.status, body: withEchoes(other) ?? null }));
  return [...new Map([...plain, ...general].map((answer) => [JSON.stringify(answer), answer])).values()];
}

/** Whether the table can hold an answer instead of the simulator's own. */
const isUsable = (own: TracedCall, { status, body = null }: TracedCall): boolean =>
  status !== null &&
  status >= 200 &&
  status <= 599 &&
  isSuccess(own) === isSuccess({ status }) &&
  !JSON.stringify(body).includes("${");

/** The body with placeholders for fields of the request that it echoes. */
function withEchoes({ sent, body }: TracedCall): unknown {
  if (!isObject(sent) || body === undefined) return body;
  const echoes = Object.entries(sent).flatMap(([key, value]) =>
    typeof value === "string" && value.length >= MIN_ECHO && /^\w+$/.test(key) ? [{ key, value }] : [],
  );
  return JSON.parse(JSON.stringify(body), (_key, part: unknown) =>
    typeof part === "string"
      ? echoes.reduce((text, { key, value }) => text.replaceAll(value, `\${request.${key}}`), part)
      : part,
  );
}

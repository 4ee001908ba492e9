/** Looks for behaviour values that make the simulator answer as the other side did. */
import { isSuccess, type Matched } from "./match-up.js";
import type { Recorded } from "./recorder.js";
import type { Proposal } from "./report.js";

export type Values = Readonly<Record<string, unknown>>;

/** What may be tried. */
export interface Candidates {
  /** Entries with values that can be listed. */
  readonly policies: readonly {
    readonly key: string;
    readonly standard: unknown;
    /** Values to try in place of one, the nearest first. */
    readonly alternatives: (current: unknown) => readonly unknown[];
  }[];
  /** Entries whose value is a whole answer, which can be taken over from the other side. */
  readonly answers: readonly string[];
}

/** Runs every scenario on the simulator with these values, and compares it with what the other side answered. */
export type Trial = (values: Values) => Promise<Matched>;

const MAX_ROUNDS = 6;
/** A shorter text may stand in an answer by chance. */
const MIN_ECHO = 3;

/**
 * @param start how it stands without any value
 * @param isSet whether a scenario sets a key itself, so that also the standard value is worth a try
 */
export async function propose(
  trial: Trial,
  start: Matched,
  candidates: Candidates,
  isSet: (key: string) => boolean,
): Promise<Proposal | null> {
  let values: Values = {};
  let best = start;
  const attempt = async (key: string, alternatives: readonly unknown[]): Promise<void> => {
    let found: { values: Values; matched: Matched } | undefined;
    for (const value of alternatives) {
      const tried = { ...values, [key]: value };
      const matched = await trial(tried);
      if (matched.distance < (found?.matched ?? best).distance) found = { values: tried, matched };
      if (matched.distance === 0) break;
    }
    if (found !== undefined) ({ values, matched: best } = found);
  };

  for (let round = 0, before = Number.POSITIVE_INFINITY; round < MAX_ROUNDS; round += 1) {
    if (best.distance === 0 || best.distance === before) break;
    before = best.distance;
    // Rules come before answers: taking over the words of a refusal must not hide why it was one.
    for (const { key, standard, alternatives } of candidates.policies) {
      const isOpen = isSet(key) && values[key] === undefined;
      const current = values[key] === undefined ? standard : values[key];
      if (best.distance > 0) await attempt(key, [...(isOpen ? [standard] : []), ...alternatives(current)]);
    }
    for (const key of candidates.answers) {
      const answers = answersFor(key, best);
      if (answers.length > 0) await attempt(key, answers);
    }
  }

  for (const key of Object.keys(values)) {
    const { [key]: _, ...others } = values;
    const matched = await trial(others);
    if (matched.distance <= best.distance) [values, best] = [others, matched];
  }
  if (Object.keys(values).length === 0) return null;
  const last = await trial(values);
  return {
    values,
    complete: last.distance === 0,
    remaining: last.differing.length,
    uncertain: start.differing.some(({ difference }) => difference.after.length > 0),
  };
}

/** The other side's answers where this entry decided the simulator's: as they are, then with what they repeat of the request. */
function answersFor(key: string, { differing }: Matched): unknown[] {
  const calls = differing.flatMap(({ difference, own, other }) =>
    difference.behaviour === key && own !== undefined && other !== undefined ? [{ own, other }] : [],
  );
  const usable = calls.filter(
    ({ own, other }) =>
      other.status !== null &&
      other.status >= 200 &&
      other.status <= 599 &&
      isSuccess(own) === isSuccess(other) &&
      !JSON.stringify(other.body ?? null).includes("${"),
  );
  const plain = usable.map(({ other: { status, body } }) => ({ status, body: body ?? null }));
  const general = usable.map(({ other }) => ({ status: other.status, body: withEchoes(other) ?? null }));
  return [...new Map([...plain, ...general].map((answer) => [JSON.stringify(answer), answer])).values()];
}

/** An answer's body with what it repeats of the request's fields as placeholders. */
function withEchoes({ sent, body }: Recorded): unknown {
  if (typeof sent !== "object" || sent === null) return body;
  const echoes = Object.entries(sent).filter(
    ([key, value]) => typeof value === "string" && value.length >= MIN_ECHO && /^\w+$/.test(key),
  ) as [string, string][];
  const replaced = (value: unknown): unknown => {
    if (typeof value === "string")
      return echoes.reduce((text, [key, echo]) => text.replaceAll(echo, `\${request.${key}}`), value);
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item)]));
  };
  return replaced(body);
}

/** Two challenges at once: those of which the unchanged run shows that both touch the same turn of the conversation. */
import type { Challenge } from "./change.js";
import { AND, currentName } from "./names.js";

/** What each challenge touches: the turns, by what its faults are about. */
export type Turns = ReadonlyMap<string, ReadonlySet<number>>;

export const isPair = (name: string): boolean => name.includes(AND);

/** Why two challenges are not tried at once; undefined where they are. */
function reasonAgainst(a: Challenge, b: Challenge, turns: Turns): string | undefined {
  const [ofA, ofB] = [turnsOf(a, turns), turnsOf(b, turns)];
  if (ofA === undefined || ofB === undefined) return "of one it cannot be said which turn it touches";
  if (subjectOf(a) === subjectOf(b) && a.faults.some(({ on }) => on === "delivery"))
    return "a delivery carries one fault only";
  if (a.copy !== undefined && b.copy !== undefined) return "both send copies of deliveries";
  if (a.releasedBy !== undefined && b.releasedBy !== undefined) return "both hold deliveries back";
  return [...ofA].some((turn) => ofB.has(turn)) ? undefined : "they touch different turns";
}

const subjectOf = ({ name }: Challenge): string => name.slice(name.indexOf("/") + 1);

const turnsOf = (challenge: Challenge, turns: Turns): ReadonlySet<number> | undefined =>
  challenge.faults.length === 0 ? undefined : turns.get(subjectOf(challenge));

/** Both changes as one. */
const together = (a: Challenge, b: Challenge): Challenge => ({
  ...a,
  ...b,
  kind: a.kind,
  name: a.name + AND + b.name,
  about: `${a.about}; and ${b.about}`,
  faults: [...a.faults, ...b.faults],
  behaviour: { ...a.behaviour, ...b.behaviour },
});

/** The pairs that are tried of some challenges, and how many are not, by the reason. */
export function pairsOf(
  challenges: readonly Challenge[],
  turns: Turns,
): { readonly pairs: Challenge[]; readonly notTried: ReadonlyMap<string, number> } {
  const pairs: Challenge[] = [];
  const notTried = new Map<string, number>();
  for (const [index, a] of challenges.entries())
    for (const b of challenges.slice(index + 1)) {
      const reason = reasonAgainst(a, b, turns);
      if (reason === undefined) pairs.push(together(a, b));
      else notTried.set(reason, (notTried.get(reason) ?? 0) + 1);
    }
  return { pairs, notTried };
}

/** The pair of this name, of some challenges; undefined where one of the two is not among them. */
export function pairOf(name: string, challenges: readonly Challenge[]): Challenge | undefined {
  const [a, b] = currentName(name)
    .split(AND)
    .map((one) => challenges.find((challenge) => challenge.name === one));
  return a === undefined || b === undefined ? undefined : together(a, b);
}

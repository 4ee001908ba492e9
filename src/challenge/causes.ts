/** Breaks that have the same cause: what is the same of them over scenarios, operations and events. */
import { CHALLENGE_KINDS } from "./kinds.js";
import { kindOfName } from "./names.js";
import type { Cause, ChallengeResult } from "./report.js";

const KINDS: readonly string[] = Object.keys(CHALLENGE_KINDS);
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** The causes of what broke and is neither tolerated nor accepted, worst first: what ends a program, then what breaks most. */
export function causesOf(challenges: readonly ChallengeResult[]): Cause[] {
  const groups = new Map<string, [ChallengeResult, ...ChallengeResult[]]>();
  for (const result of challenges) {
    if (result.verdict !== "broke") continue;
    const key = `${kindOfName(result.name)}\n${result.broke}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  const causes = [...groups.values()].map((group): Cause => {
    const [{ name, scenario, broke = "", why, remedy }] = group;
    return {
      kind: kindOfName(name),
      broke,
      breaks: group.length,
      scenarios: unique(group.map((result) => result.scenario)),
      challenges: unique(group.map((result) => result.name)),
      example: { name, scenario },
      why,
      remedy,
    };
  });
  const weight = ({ broke, breaks }: Cause) => (broke.includes("ended") ? 1_000_000 : 0) + breaks;
  return causes.sort((a, b) => weight(b) - weight(a) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

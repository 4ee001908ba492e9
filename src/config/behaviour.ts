import { PROFILES, type ProfileName } from "../behaviour/table.js";
import type { Problem } from "../kernel/problems.js";

export const PROFILE_NAMES: readonly string[] = Object.keys(PROFILES);

export const isProfile = (name: string): name is ProfileName => PROFILE_NAMES.includes(name);

/** What is wrong with behaviour values (contract section 7). */
export async function behaviourProblems(value: unknown): Promise<readonly Problem[]> {
  const { BehaviourChecker } = await import("../behaviour/check.js");
  const checked = new BehaviourChecker().check(value);
  return ("problems" in checked ? checked.problems : undefined) ?? [];
}

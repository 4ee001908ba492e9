import type { CheckedBehaviour } from "../behaviour/check.js";
import { PROFILES, type ProfileName } from "../behaviour/table.js";

export const PROFILE_NAMES: readonly string[] = Object.keys(PROFILES);

export const isProfile = (name: string): name is ProfileName => PROFILE_NAMES.includes(name);

/** Behaviour values (contract section 7), or everything that is wrong with them. */
export async function checkBehaviour(value: unknown): Promise<CheckedBehaviour> {
  const { BehaviourChecker } = await import("../behaviour/check.js");
  return new BehaviourChecker().check(value);
}

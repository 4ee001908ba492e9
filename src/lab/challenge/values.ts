/** The values of behaviour entries that challenges try. */
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import { answerSchema } from "../../service/behaviour/entry.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";

/** A value, and its label in challenge names. */
interface OtherValue {
  readonly label: string;
  readonly value: unknown;
}

/** For entries with an open range, representative values; for others, why no value is tried. */
const OPEN_VALUES: Partial<Record<BehaviourKey, readonly OtherValue[] | string>> = {
  "tokens.lifetime": "an expired token would need a replacement",
  "permissions.required": "a missing permission would have to be granted",
  "limits.textLength": [{ label: "1600", value: 1600 }],
  "limits.webhooks": "webhooks would have to be deleted",
  "limits.bodyBytes": "a limit of the simulator",
  "limits.rate": "covered by rate-limited",
  "cors.origins": "only affects browsers",
  "threadStatus.transitions": "an unreachable status needs another conversation",
  "window.channels": [{ label: "none", value: [] }],
  "window.duration": [{ label: "24h", value: "24h" }],
  "webhooks.graphqlEvents": [{ label: "all", value: ["messages", "transfers"] }],
  "delivery.attempts": [{ label: "4", value: 4 }],
  "delivery.backoff": "only matters after failures",
  "delivery.autoDisable": "only matters after failures",
  "delivery.timeoutMs": "only matters after failures",
  "delivery.success": [{ label: "200", value: [200] }],
  "delivery.signature": "the system under test does not know other secrets",
};

/** Why no other value of an entry is tried, if none is. */
export function untried(key: BehaviourKey): string | undefined {
  const values = OPEN_VALUES[key];
  return typeof values === "string" ? values : undefined;
}

/** The other values to try: all, or representative ones. */
export function otherValues(key: BehaviourKey): readonly OtherValue[] {
  const entry = BEHAVIOUR_TABLE[key];
  if (entry.schema === answerSchema) return otherAnswers(BEHAVIOUR_TABLE[key].default);
  const values = OPEN_VALUES[key];
  if (typeof values === "string") return [];
  const alternatives = alternativesOf(entry);
  if (typeof alternatives === "string") return values ?? [];
  return alternatives.map((value) => ({ label: String(value), value }));
}

/** Keeps the status, which separates success from refusal. */
function otherAnswers(preset: unknown): OtherValue[] {
  const { status } = preset as { readonly status: number };
  return [
    { label: "no-body", value: { status, body: "" } },
    { label: "other-body", value: { status, body: { undocumented: true } } },
  ];
}

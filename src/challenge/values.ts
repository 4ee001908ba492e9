/** Which other values of a behaviour entry are tried. */
import { alternativesOf } from "../behaviour/alternatives.js";
import { answerSchema } from "../behaviour/entry.js";
import type { BehaviourKey } from "../behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../behaviour/table.js";

/** A value, and how names of challenges write it. */
interface OtherValue {
  readonly label: string;
  readonly value: unknown;
}

/** Of entries that take any number of values: some that stand for all; of any entry: why none is tried. */
const OPEN_VALUES: Partial<Record<BehaviourKey, readonly OtherValue[] | string>> = {
  "tokens.lifetime": "a token that has expired needs somebody who issues another",
  "permissions.required": "a permission that is missing needs somebody who grants it",
  "limits.textLength": [{ label: "1600", value: 1600 }],
  "limits.webhooks": "a bound that is reached needs somebody who takes webhooks away",
  "limits.bodyBytes": "a bound of the simulator",
  "limits.rate": "the kind rate-limited tries it",
  "cors.origins": "only browsers ask",
  "customers.unknownType": [{ label: "other", value: "other" }],
  "threadStatus.transitions": "a status that cannot be reached needs another conversation",
  "window.channels": [{ label: "none", value: [] }],
  "window.duration": [{ label: "24h", value: "24h" }],
  "templates.channels": [{ label: "all", value: ["WHATSAPP", "SMS", "EMAIL"] }],
  "webhooks.graphqlEvents": [{ label: "all", value: ["messages", "transfers"] }],
  "delivery.attempts": [{ label: "4", value: 4 }],
  "delivery.backoff": "it shows only after failures",
  "delivery.autoDisable": "it shows only after failures",
  "delivery.timeoutMs": "it shows only after failures",
  "delivery.success": [{ label: "200", value: [200] }],
  "delivery.signature": "the system under test does not have another secret",
};

/** Why another value of an entry is not tried; undefined where some are. */
export function untried(key: BehaviourKey): string | undefined {
  const values = OPEN_VALUES[key];
  return typeof values === "string" ? values : undefined;
}

/** The other values of an entry that are tried: all that it takes, or some that stand for them. */
export function otherValues(key: BehaviourKey): readonly OtherValue[] {
  const entry = BEHAVIOUR_TABLE[key];
  if (entry.schema === answerSchema) return otherAnswers(BEHAVIOUR_TABLE[key].default);
  const values = OPEN_VALUES[key];
  if (typeof values === "string") return [];
  const alternatives = alternativesOf(entry);
  if (typeof alternatives === "string") return values ?? [];
  return alternatives.map((value) => ({ label: String(value), value }));
}

/** The status stays: it is what tells success from refusal. */
function otherAnswers(preset: unknown): OtherValue[] {
  const { status } = preset as { readonly status: number };
  return [
    { label: "no-body", value: { status, body: "" } },
    { label: "other-body", value: { status, body: { undocumented: true } } },
  ];
}

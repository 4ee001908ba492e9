/** Random settings of the entries that a client and a receiver can see. */
import { omitUndefined } from "../../src/kernel/objects.js";
import { Random } from "../../src/kernel/random.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import type { Answer, Entry } from "../../src/service/behaviour/entry.js";
import { answerSchema } from "../../src/service/behaviour/entry.js";
import type { BehaviourKey } from "../../src/service/behaviour/table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";

export type Settings = Readonly<Record<string, unknown>>;

/** A stream of choices. */
export class Dice extends Random {
  below = (limit: number): number => Math.floor(this.fraction() * limit);
  one = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
  chance = (share: number): boolean => this.fraction() < share;
}

/** Only browsers and the simulator's own bounds show these. */
const UNSEEN = /^(?:cors|limits\.overload|http\.unknownHost|delivery\.(?:signature|timeoutMs))/;
/** A long session cannot prove these: only failing receivers show them, they end it, or it has no calls on both sides of a value. */
const UNFOUND =
  /^(?:delivery|webhooks\.pending|widget\.knownLocale|limits|permissions\.required|tokens|window\.duration)/;
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  "window.duration": ["90s", "1h", "12h", "24h", "25h", "47m"],
  "window.channels": [["WHATSAPP", "SMS"], [], ["SMS"]],
  "templates.channels": [["WHATSAPP", "SMS"], [], ["WHATSAPP", "EMAIL"]],
  "webhooks.graphqlEvents": [["messages", "transfers"], ["transfers"], []],
  "limits.textLength": [3, 5, 10, 19, 26, 40],
  "limits.webhooks": [1, 2, 3],
  "limits.bodyBytes": [60, 80, 100],
  "limits.rate": [
    { requests: 5, per: "10s" },
    { requests: 10, per: "1m" },
    { requests: 3, per: "5s" },
    { requests: 20, per: "1h" },
  ],
  "tokens.lifetime": ["1m", "1h", "24h"],
  "customers.unknownType": ["lead"],
  "permissions.required": [{ listWebhooks: "hooks:read" }, { sendMessageToCustomerThread: "x" }],
  "threadStatus.transitions": [
    { waiting: ["replied", "resolved"], replied: ["waiting", "resolved"], resolved: ["replied"] },
    { waiting: ["resolved"] },
    {},
    { waiting: ["waiting", "replied"], replied: ["replied", "resolved"], resolved: ["waiting"] },
  ],
  "delivery.attempts": [2, 3],
  "delivery.backoff": [["5s"], ["1m", "2m"]],
  "delivery.success": [[200], [202]],
  "delivery.autoDisable": [1, 2],
};

/** Bodies that repeat something of the call, of entries whose names begin so. */
const ECHOES: Readonly<Record<string, readonly unknown[]>> = {
  "http.": [{ error: "${method} not here" }, { error: "nothing at ${path}" }],
  "threads.": [{ error: "thread ${customerThreadId} unknown" }, { id: "${request.customerThreadId}" }],
  "webhooks.notFound": [{ error: "no ${hookId}" }],
  "sendMessage.response": [
    { id: "${message.id}" },
    { to: "${request.customerThreadId}", said: "${message.text}" },
  ],
};

/** Another value of an entry, if one is known. */
function valueFor(key: BehaviourKey, dice: Dice): unknown {
  const entry = BEHAVIOUR_TABLE[key] as Entry;
  if (entry.schema === answerSchema) {
    const { status } = entry.default as Answer;
    const bodies = [{ says: `this is ${key}` }, {}, [], "text", { error: { code: 7 } }];
    const statuses = status >= 400 ? [400, 401, 403, 404, 409, 422, status] : [200, 201, 202];
    const echoes = Object.entries(ECHOES).find(([name]) => key.startsWith(name))?.[1] ?? [];
    return { status: dice.one(statuses), body: dice.one([...bodies, ...echoes]) };
  }
  const listed = OTHERS[key] ?? alternativesOf(entry);
  return typeof listed === "string" ? undefined : dice.one(listed);
}

const SEEN = BEHAVIOUR_KEYS.filter((key) => !UNSEEN.test(key));

const settingsFor = (keys: readonly BehaviourKey[], dice: Dice): Settings =>
  omitUndefined(Object.fromEntries(keys.map((key) => [key, valueFor(key, dice)])));

/** Other values of a few entries. */
export const fewSettings = (dice: Dice): Settings =>
  settingsFor(
    Array.from({ length: 1 + dice.below(5) }, () => dice.one(SEEN)),
    dice,
  );

/** Other values of a fifth of the entries that a long session can prove. */
export function manySettings(seed: number): Settings {
  const dice = new Dice(seed);
  return settingsFor(
    SEEN.filter((key) => !UNFOUND.test(key) && dice.chance(0.2)),
    dice,
  );
}

/** A simulator that plays the real service: its settings are secret, behind its control token. */

import { Random } from "../../src/kernel/random.js";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import type { Entry } from "../../src/service/behaviour/entry.js";
import { BEHAVIOUR_TABLE, type BehaviourKey } from "../../src/service/behaviour/table.js";

const CONTROL_TOKEN = "only-the-test-knows";

/** Another value of some of the keys. */
export function secretSettings(keys: readonly string[], seed: number): Readonly<Record<string, unknown>> {
  const random = new Random(seed);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)] as T;
  return Object.fromEntries(
    keys.flatMap((key) => {
      if (random.fraction() > 0.35) return [];
      const entry = BEHAVIOUR_TABLE[key as BehaviourKey] as Entry;
      if (Object.hasOwn(ANSWERS, key)) {
        const { status } = entry.default as { readonly status: number };
        const body = { note: `as the service says of ${key}` };
        return [
          [
            key,
            status < 400
              ? { status: oneOf([200, 201, 202]), body }
              : { status: oneOf([404, 410, 422]), body },
          ],
        ];
      }
      if (key === "threadStatus.transitions")
        return [
          [
            key,
            { waiting: ["replied", "resolved"], replied: ["waiting", "resolved"], resolved: ["waiting"] },
          ],
        ];
      if (key === "webhooks.graphqlEvents") return [[key, ["messages", "transfers"]]];
      if (key === "templates.channels") return [[key, ["SMS"]]];
      const others = alternativesOf(entry);
      return typeof others === "string" || others.length === 0 ? [] : [[key, oneOf(others)]];
    }),
  );
}

export const SERVICE_OPTIONS = { controlToken: CONTROL_TOKEN, allowOutbound: ["*"] } as const;

import { milliseconds } from "../kernel/duration.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import { Refusal } from "../service/domain/refusal.js";

/**
 * Who makes a call (specification: "Authentication").
 * @param text the `token` header as it came; undefined when there was none.
 * @throws Refusal `auth.missing`, `auth.invalid`
 */
export function callerOf(
  { run, token }: TokenOwner,
  text: string | undefined,
  { "tokens.lifetime": lifetime }: BehaviourValues,
): Caller {
  if (text === undefined || text === "") throw new Refusal("auth.missing");
  const record = token === null ? undefined : run.world.get("tokens", token);
  const user = record && run.world.get("users", record.userId);
  if (record === undefined || user === undefined) throw new Refusal("auth.invalid");
  if (lifetime !== null && (record.issuedAt ?? run.began) + milliseconds(lifetime) <= run.clock.now())
    throw new Refusal("auth.invalid");
  return { token: record, user, organizationId: user.organizationId };
}

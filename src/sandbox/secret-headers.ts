/** Which headers of a delivery are secret. */

import { isSendable } from "../service/domain/headers.js";
import type { WorldView } from "../service/domain/transaction.js";
import type { NameValue } from "../service/world/records.js";

interface Home {
  readonly world: Pick<WorldView, "get">;
  readonly sandboxId: string;
}

/** The names, in lower case, of `extraHeaders` whose values are secret: all but API keys of the sandbox, which are for tests alone. */
export function secretHeadersOf({ world, sandboxId }: Home, extraHeaders: readonly NameValue[]): string[] {
  const isApiKey = (value: string) =>
    [value, value.replace(`${sandboxId}.`, "")].some((id) => world.get("tokens", id) !== undefined);
  const secret = extraHeaders.filter(({ name, value }) => isSendable(name) && !isApiKey(value));
  return [...new Set(secret.map(({ name }) => name.toLowerCase()))];
}

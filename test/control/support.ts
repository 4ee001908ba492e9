import { nextTurn } from "../../src/kernel/realtime.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";

/** Records that can be written below `/data`, without their ids. */
export const THREAD = {
  businessId: "1001",
  customerId: "cust_001",
  channel: "SMS",
  status: "waiting",
  isMessagingWindowOpen: true,
};
export const HOOK = { organizationId: "200", url: "sink:x", subscribedEvents: ["messages"] };

/** The ids of a list in an answer. */
export const idsOf = ({ body }: { readonly body: readonly { readonly id: string }[] }): string[] =>
  body.map(({ id }) => id);

/** Resolves when this many waits are open. */
export async function opened(sandbox: Sandbox, count = 1): Promise<void> {
  while (sandbox.openWaits !== count) await nextTurn();
}

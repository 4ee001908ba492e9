/** Types of the client: the compiler must refuse every marked line, and accept all others. */

import { createTest, test } from "../../src/adapters/vitest.js";
import type { OPERATIONS } from "../../src/api/operations/index.js";
import type {
  BehaviourValues,
  DeliveryRecord,
  LegacyPayload,
  Message,
  MessageEventPayload,
  OperationName,
  SimClient,
  Thread,
  TransferEventPayload,
} from "../../src/client/index.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <T extends true>(value?: T): T | undefined => value;

export async function types(client: SimClient, delivery: DeliveryRecord): Promise<void> {
  isTrue<Same<OperationName, (typeof OPERATIONS)[number]["id"]>>();
  // @ts-expect-error: a name is not any string
  isTrue<Same<OperationName, string>>();

  await using sandbox = await client.sandbox({ behaviour: { "delivery.attempts": 2 }, clock: 0 });
  // @ts-expect-error: no such behaviour
  await client.sandbox({ behaviour: { "delivery.tries": 2 } });
  // @ts-expect-error: a wrong value
  await sandbox.patchBehaviour({ "threadStatus.autoMoves": "always" });
  const values: Partial<BehaviourValues> = { "timestamps.unit": "s" };
  await sandbox.patchBehaviour(values);

  // @ts-expect-error: an organization has a name
  await sandbox.route("PUT /state")({ organizations: [{ id: "1" }] });
  await sandbox.route("PUT /state")({ organizations: [{ id: "1", name: "One" }] });

  await sandbox.restore("before");
  // @ts-expect-error: not part of the body, so it would not be sent
  await sandbox.restore("before", { snapshot: "after" });

  const said: Message = await sandbox.customerSays(9001, "Hello");
  const moved: Thread = await sandbox.setStatus(said.threadId, "resolved");
  // @ts-expect-error: no such status
  await sandbox.setStatus(moved.id, "closed");
  await sandbox.advance("1.5h");
  // @ts-expect-error: no such unit
  await sandbox.advance("2 weeks");

  await sandbox.waitForRequest({ operation: "updateThreadStatus", status: { $gt: 399 }, path: "/api/**" });
  await sandbox.waitForRequest({ operation: { $oneOf: ["getWebhook", "listWebhooks"] }, token: null });
  // @ts-expect-error: no such operation
  await sandbox.waitForRequest({ operation: "updateThread" });
  // @ts-expect-error: no such operator
  await sandbox.waitForRequest({ status: { $gte: 400 } });

  const transfer = await sandbox.waitForDelivery("transfer");
  isTrue<Same<typeof transfer.body, TransferEventPayload>>();
  const message = await sandbox.waitForDelivery({
    eventType: "message",
    body: { data: { messageId: { $gt: 1 } } },
  });
  isTrue<Same<typeof message.body, MessageEventPayload | LegacyPayload>>();
  const either = await sandbox.waitForDelivery({ webhookId: "crm", status: "failed" });
  isTrue<Same<typeof either, DeliveryRecord>>();
  // @ts-expect-error: a message event has no such field
  await sandbox.waitForDelivery({ eventType: "message", body: { data: { text: "Hello" } } });
  if (delivery.eventType === "message" && !delivery.legacy) delivery.body.data.messageBody.trim();
  // @ts-expect-error: the payload must be narrowed first
  delivery.body.data;

  await sandbox.requests({ operation: "getWebhook", method: "GET", by: "client" });
  // @ts-expect-error: no such operation
  await sandbox.requests({ operation: "getHook" });

  await sandbox.verify({ requests: {}, count: { max: 1 } });
  // @ts-expect-error: neither requests nor deliveries
  await sandbox.verify({ count: 1 });

  await sandbox.fault({ on: "delivery", match: { eventType: "message" }, then: { duplicate: 1 } });
  await sandbox.fault({ on: "request", match: { operation: "graphql" }, then: "token-expired" });
  // @ts-expect-error: no such preset
  await sandbox.fault({ on: "request", then: "broken" });
  // @ts-expect-error: a field of deliveries
  await sandbox.fault({ on: "request", match: { eventType: "message" }, then: "slow" });

  const business = await sandbox.data("businesses").get("1001");
  isTrue<Same<typeof business.online, boolean>>();
  await sandbox.data("threads").update("9001", { channel: "SMS" });
  // @ts-expect-error: no such collection
  sandbox.data("rooms");
  // @ts-expect-error: no such field
  await sandbox.data("threads").update("9001", { topic: "Boots" });

  await sandbox.emit("message", { messageBody: "Hi", messageExternalId: null }, { legacy: true });
  // @ts-expect-error: a field of transfers
  await sandbox.emit("message", { newBusinessId: 1 });

  for await (const { event, data } of sandbox.stream()) {
    if (event === "clock") data.now.toFixed();
    if (event === "request") data.path.trim();
    // @ts-expect-error: the event must be narrowed first
    data.path;
  }
}

export function fixtures(): void {
  const own = createTest({ behaviour: "realistic" });
  own("has a sandbox", async ({ sandbox, sim }) => {
    await sandbox.reset();
    await sim.health();
  });
  test.extend(
    "bot",
    { scope: "worker" },
    async ({ sim }) => sim.url,
  )("has more", ({ bot }) => void bot.trim());
  // @ts-expect-error: a sandbox belongs to one test, so a fixture of the worker cannot use it
  test.extend("bot", { scope: "worker" }, async ({ sandbox }) => sandbox.url);
  // @ts-expect-error: sandboxes of tests have generated ids
  createTest({ id: "mine" });
}

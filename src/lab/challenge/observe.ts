/** What the system under test did in the unchanged run: which operations it called, which events it got, what its calls consulted. */
import { payloadOf } from "../../client/log-entries.js";
import type { DeliveryRecord, RequestRecord } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { getOrInsert } from "../../kernel/objects.js";
import type { Scenario } from "../../scenarios/read.js";
import { allSteps } from "../../scenarios/step.js";
import { isBehaviourKey } from "../../service/behaviour/table.js";
import type { Played } from "./play.js";
import type { Observed, ObservedEvent } from "./table.js";

export async function observedIn(
  scenario: Scenario,
  { deliveries, transport, met }: Played,
): Promise<Observed> {
  const query = { by: "client" };
  const own = await transport.call<RequestRecord[]>("GET", "/requests", { query });
  const called = new Set(own.map(({ operation }) => operation));
  const ids = new Set<string | null>(own.map(({ id }) => id));
  const byName = new Map<string, DeliveryRecord[]>();
  for (const delivery of deliveries.filter(({ attempts }) => attempts.length > 0))
    getOrInsert(byName, subjectOf(delivery).name, () => []).push(delivery);
  return {
    // Coverage also counts calls that the journal no longer holds, but none that a fault answered.
    operations: met.operations
      .filter(({ operation, outcomes }) => called.has(operation) || outcomes.some(({ met }) => met > 0))
      .map(({ operation }) => operation),
    events: [...byName.values()].map((alike) => ({
      ...subjectOf(alike[0] as DeliveryRecord),
      isOwn: alike.some(({ causedBy }) => ids.has(causedBy)),
      isSigned: alike.some(({ headers }) => "webhook-signature" in headers),
    })),
    answersTransfers: answersTransfers(scenario),
    keys: met.behaviours.map(({ key }) => key).filter(isBehaviourKey),
    usesTemplates: own.some(
      ({ body, response }) =>
        (isObject(body) && typeof body.contentSid === "string") ||
        valueAt(response, ["templates", 0]) !== undefined,
    ),
  };
}

function subjectOf(delivery: DeliveryRecord): Omit<ObservedEvent, "isOwn" | "isSigned"> {
  const { eventType: event, legacy } = delivery;
  if (event !== "message") return { name: event, match: { eventType: event }, legacy, event };
  const fromCustomer = payloadOf(delivery).fromCustomer === true;
  const name = `message.${fromCustomer ? "customer" : "business"}${legacy ? ".legacy" : ""}`;
  const matched = legacy ? { eventType: { $absent: true }, fromCustomer } : { data: { fromCustomer } };
  return { name, match: { eventType: event, body: matched }, legacy, event };
}

/** Whether the scenario expects a reply to a transfer itself: without its event there can be none. */
function answersTransfers({ steps }: Scenario): boolean {
  const kinds = allSteps(steps).map(({ kind }) => kind);
  return kinds.some(({ key }, at) => {
    const next = kinds.slice(at + 1).find(({ effect }) => effect !== "passes");
    return key === "transfer" && next?.key === "reply";
  });
}

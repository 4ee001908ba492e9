import { maskedAddress } from "../../../src/kernel/masking.js";
import { useApp, useOpenItem } from "../lib/context";
import type { TrafficEntry } from "../model/conversation-items";
import { deliveryOutcome, requestOutcome } from "../model/outcome";
import type { DeliveryRecord, OperationName, RequestRecord } from "../model/types";
import { Icon } from "../parts/icon";

/** What a chip calls an operation; those that are not listed go by their id. */
const LABELS: Readonly<Record<string, string | undefined>> = {
  sendMessageToCustomerThread: "send message",
  getCustomerThreadDetails: "thread details",
  getWhatsappTemplates: "templates",
  updateThreadStatus: "update status",
  sendMessageToBusiness: "widget",
} satisfies Partial<Record<OperationName, string>>;

/** Chips between two messages: what was delivered where, what was called, how each ended. */
export const TrafficChips = ({ entries }: { entries: readonly TrafficEntry[] }) => (
  <ul class="chips" aria-label="What it caused">
    {entries.map(({ kind, entry }) => (
      <li key={entry.id}>
        {kind === "request" ? <RequestChip request={entry} /> : <DeliveryChip delivery={entry} />}
      </li>
    ))}
  </ul>
);

function DeliveryChip({ delivery }: { delivery: DeliveryRecord }) {
  const { route, session } = useApp();
  const open = useOpenItem();
  const { tone, description } = deliveryOutcome(delivery);
  const several = session.tables.webhooks.records.size > 1;
  const transfer = delivery.eventType === "transfer" ? "transfer: " : "";
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={route.item === delivery.id}
      title={
        delivery.reason ?? `${delivery.eventType} event to ${delivery.hookId}: ${maskedAddress(delivery.url)}`
      }
      onClick={() => open(delivery.id)}
    >
      <Icon name={tone === "held" ? "shield" : "hook"} />
      <span>
        {transfer}webhook {description}
      </span>
      {several ? <span class="chip-sub">{delivery.hookId}</span> : null}
    </button>
  );
}

function RequestChip({ request }: { request: RequestRecord }) {
  const { route } = useApp();
  const open = useOpenItem();
  const { tone, description } = requestOutcome(request);
  const { operation, path } = request;
  const label = operation === null ? path : (LABELS[operation] ?? operation);
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={route.item === request.id}
      title={`${request.method} ${request.path}`}
      onClick={() => open(request.id)}
    >
      <Icon name="call" />
      <span>
        {request.by === "scenario" ? "scenario's" : "your"} call {description}
      </span>
      <span class="chip-sub">{label}</span>
    </button>
  );
}

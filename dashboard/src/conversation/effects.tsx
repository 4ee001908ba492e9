import { useApp, useOpenItem } from "../lib/context";
import { outcomeOfDelivery, outcomeOfRequest } from "../model/outcome";
import type { Effect } from "../model/timeline";
import type { Delivery, RequestRecord } from "../model/types";
import { Icon } from "../parts/icon";

const OPERATIONS: Readonly<Record<string, string>> = {
  "POST /api/send-message-to-customer-thread": "send message",
  "GET /api/get-customer-thread-details": "thread details",
  "GET /api/get-whatsapp-templates": "templates",
  "POST /api/update-thread-status": "update status",
  "POST /api/widget/send-message-to-business": "widget",
};

/** Chips between two bubbles: what was delivered where, what was called, how each ended. */
export const Effects = ({ effects }: { effects: readonly Effect[] }) => (
  <ul class="effects" aria-label="What it caused">
    {effects.map((effect) => (
      <li key={effect.kind === "request" ? effect.request.id : effect.delivery.id}>
        {effect.kind === "request" ? (
          <RequestChip request={effect.request} />
        ) : (
          <DeliveryChip delivery={effect.delivery} />
        )}
      </li>
    ))}
  </ul>
);

function DeliveryChip({ delivery }: { delivery: Delivery }) {
  const { place, session } = useApp();
  const open = useOpenItem();
  const { tone, words } = outcomeOfDelivery(delivery);
  const several = session.tables.webhooks.size > 1;
  const transfer = delivery.eventType === "transfer" ? "transfer: " : "";
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={place.item === delivery.id}
      title={delivery.reason ?? `${delivery.eventType} event to ${delivery.hookId}: ${delivery.url}`}
      onClick={() => open(delivery.id)}
    >
      <Icon name={tone === "held" ? "shield" : "hook"} />
      <span>
        {transfer}webhook {words}
      </span>
      {several ? <span class="chip-sub">{delivery.hookId}</span> : null}
    </button>
  );
}

function RequestChip({ request }: { request: RequestRecord }) {
  const { place } = useApp();
  const open = useOpenItem();
  const { tone, words } = outcomeOfRequest(request);
  const what = OPERATIONS[`${request.method} ${request.path}`] ?? request.operation ?? request.path;
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={place.item === request.id}
      title={`${request.method} ${request.path}`}
      onClick={() => open(request.id)}
    >
      <Icon name="call" />
      <span>
        {request.by === "scenario" ? "scenario's" : "your"} call {words}
      </span>
      <span class="chip-sub">{what}</span>
    </button>
  );
}

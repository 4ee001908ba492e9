import { maskedAddress } from "../../../src/kernel/masking.js";
import { useApp, useItem, useOpenItem } from "../lib/context";
import type { Fold } from "../model/folding";
import { deliveryOutcome, requestOutcome } from "../model/outcome";
import type { DeliveryRecord, OperationName, RequestRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
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
export const TrafficChips = ({ folds }: { folds: readonly Fold[] }) => (
  <ul class="chips" aria-label="What it caused">
    <Bounded items={folds} step={20}>
      {({ newest: { kind, entry }, ids }) => (
        <li key={ids[0]}>
          {kind === "request" ? (
            <RequestChip request={entry} ids={ids} />
          ) : (
            <DeliveryChip delivery={entry} ids={ids} />
          )}
        </li>
      )}
    </Bounded>
  </ul>
);

/** How many calls or deliveries a chip stands for. */
const Times = ({ ids }: { ids: readonly string[] }) =>
  ids.length === 1 ? null : <b class="times">×{ids.length.toLocaleString("en")}</b>;

function DeliveryChip({ delivery, ids }: { delivery: DeliveryRecord; ids: readonly string[] }) {
  const { session } = useApp();
  const item = useItem();
  const open = useOpenItem();
  const { tone, description } = deliveryOutcome(delivery);
  const several = session.tables.webhooks.records.size > 1;
  const transfer = delivery.eventType === "transfer" ? "transfer: " : "";
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={ids.includes(item ?? "")}
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
      <Times ids={ids} />
    </button>
  );
}

function RequestChip({ request, ids }: { request: RequestRecord; ids: readonly string[] }) {
  const item = useItem();
  const open = useOpenItem();
  const { tone, description } = requestOutcome(request);
  const { operation, path } = request;
  const label = operation === null ? path : (LABELS[operation] ?? operation);
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-pressed={ids.includes(item ?? "")}
      title={`${request.method} ${request.path}`}
      onClick={() => open(request.id)}
    >
      <Icon name="call" />
      <span>
        {request.by === "scenario" ? "scenario's" : "your"} call {description}
      </span>
      <span class="chip-sub">{label}</span>
      <Times ids={ids} />
    </button>
  );
}

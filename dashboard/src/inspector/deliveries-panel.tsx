import { field } from "../../../src/client/log-entries.js";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { useApp } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { deliveryTime } from "../model/entries";
import { deliveryOutcome, isHeldBack } from "../model/outcome";
import type { Findable } from "../model/query";
import { ofDelivery } from "../model/query";
import type { Session } from "../model/session";
import type { DeliveryRecord } from "../model/types";
import { Empty } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { DeliveryDetails } from "./delivery-details";
import { HoldBar, ReleaseButton } from "./hold-bar";
import { LogPanel } from "./log-panel";
import { ReplayButton } from "./replay-button";
import { RowToggle, TimeCell } from "./row-parts";
import { TrafficSummary } from "./traffic-summary";

const searchText = (delivery: DeliveryRecord): string => {
  const { id, eventType, hookId, url, status, threadId, reason, body, attempts } = delivery;
  const event = `${id} ${eventType} ${hookId} ${url} ${status} ${threadId} ${reason}`;
  return `${event} ${JSON.stringify(body)} ${JSON.stringify(attempts)}`;
};
const deliveryThread = ({ threadId }: DeliveryRecord): string => threadId;

/** Whom and what the event is about. */
function subjectOf({ tables }: Session, { threadId, legacy, body }: DeliveryRecord): string {
  const thread = tables.threads.get(threadId);
  const text = field(legacy ? body : body.data, "messageBody");
  return [thread === undefined ? threadId : tables.customerName(thread), text || []].flat().join(": ");
}

const findable = (delivery: DeliveryRecord, text: string): Findable =>
  ofDelivery(delivery, deliveryTime(delivery), text);

export default function DeliveriesPanel() {
  const { session } = useApp();
  return (
    <LogPanel
      name="Deliveries"
      log={session.deliveries}
      searchText={searchText}
      findable={findable}
      threadOf={deliveryThread}
      summary={<TrafficSummary kind="deliveries" />}
      controls={<HoldBar />}
      empty={<NoDeliveries />}
      rowClass={(delivery) => deliveryOutcome(delivery).tone}
      row={(delivery, open) => {
        const { tone } = deliveryOutcome(delivery);
        const last = delivery.attempts.at(-1);
        return (
          <>
            <RowToggle
              open={open}
              label={`${delivery.id} ${delivery.eventType} to ${delivery.hookId} ${delivery.status}`}
            >
              <bdi>{subjectOf(session, delivery)}</bdi>{" "}
              <span class="path">
                {delivery.eventType} {delivery.hookId} {maskedAddress(delivery.url)}
              </span>
            </RowToggle>
            <span role="cell" class="log-result">
              <Pill tone={tone}>
                {tone === "held" ? <Icon name="shield" /> : null}
                {delivery.status}
              </Pill>
              <span class="latency">{last?.status ?? ""}</span>
            </span>
            <TimeCell at={deliveryTime(delivery)} />
            <span role="cell" data-own>
              {isHeldBack(delivery) ? (
                <ReleaseButton delivery={delivery} />
              ) : (
                <ReplayButton delivery={delivery} />
              )}
            </span>
          </>
        );
      }}
      details={(delivery) => <DeliveryDetails delivery={delivery} />}
    />
  );
}

function NoDeliveries() {
  const { session, route } = useApp();
  const { tables } = session;
  const thread = tables.threadOrFirst(route.thread);
  const enabled = [...tables.webhooks.records.values()].filter((webhook) => webhook.enabled);
  return (
    <Empty
      title="No deliveries yet"
      command={thread && controlCurl(session, `/threads/${thread.id}/inbound`, { text: "Hello" })}
    >
      {enabled.length === 0
        ? "No webhook is enabled: create one first. Then write as a customer:"
        : "Messages and transfers cause events. Write as a customer:"}
    </Empty>
  );
}

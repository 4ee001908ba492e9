import { useApp, useSession } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { outcomeOfDelivery } from "../model/outcome";
import type { Delivery } from "../model/types";
import { Empty } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { Traffic } from "./charts";
import { DeliveryDetails } from "./delivery-details";
import { LogPanel } from "./log-panel";
import { ReplayButton } from "./replay-button";
import { RowToggle, TimeCell } from "./row-parts";

const textOf = ({ id, eventType, hookId, url, status, threadId, body }: Delivery): string =>
  `${id} ${eventType} ${hookId} ${url} ${status} ${threadId} ${JSON.stringify(body)}`;
const threadOf = ({ threadId }: Delivery): string => threadId;

/** When it was first tried; before that, when its event happened. */
function timeOf({ attempts, body }: Delivery): number {
  const at = attempts[0]?.at ?? body.timestamp ?? body.messageTimestamp;
  return typeof at === "number" ? (at < 100_000_000_000 ? at * 1_000 : at) : 0;
}

export function DeliveriesPanel() {
  const session = useSession("deliveries");
  return (
    <LogPanel
      name="Deliveries"
      entries={session.deliveries.entries}
      textOf={textOf}
      threadOf={threadOf}
      chart={<Traffic kind="deliveries" />}
      empty={<NoDeliveries />}
      rowClass={(delivery) => outcomeOfDelivery(delivery).tone}
      row={(delivery, open) => {
        const { tone } = outcomeOfDelivery(delivery);
        const last = delivery.attempts.at(-1);
        return (
          <>
            <RowToggle
              open={open}
              label={`${delivery.id} ${delivery.eventType} to ${delivery.hookId} ${delivery.status}`}
            >
              <span class="method">{delivery.eventType}</span> <span class="path">{delivery.hookId}</span>{" "}
              <span class="path muted">{delivery.url}</span>
            </RowToggle>
            <span role="cell" class="log-result">
              <Pill tone={tone}>
                {tone === "held" ? <Icon name="shield" /> : null}
                {delivery.status}
              </Pill>
              <span class="latency">{last?.status ?? ""}</span>
            </span>
            <TimeCell at={timeOf(delivery)} />
            <span role="cell" class="log-action" data-own>
              <ReplayButton delivery={delivery} />
            </span>
          </>
        );
      }}
      details={(delivery) => <DeliveryDetails delivery={delivery} />}
    />
  );
}

function NoDeliveries() {
  const { session, place } = useApp();
  const thread = place.thread ?? [...session.tables.threads.keys()][0] ?? "9001";
  const enabled = [...session.tables.webhooks.values()].filter((webhook) => webhook.enabled);
  return (
    <Empty
      title="Nothing was delivered yet"
      command={controlCurl(
        "POST",
        session.api.base,
        `/threads/${thread}/inbound`,
        session.api.access.token !== null,
        {
          text: "Hello",
        },
      )}
    >
      {enabled.length === 0
        ? "No webhook is enabled: create one through the API first. Then let a customer write:"
        : "Events go out when somebody writes or a thread is transferred. Let a customer write:"}
    </Empty>
  );
}

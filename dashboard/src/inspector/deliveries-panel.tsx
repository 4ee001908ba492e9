import { payloadOf } from "../../../src/client/log-entries.js";
import { maskedHeaders } from "../../../src/kernel/masking.js";
import { useApp } from "../lib/context";
import { deliveryCurl } from "../lib/curl";
import { isoTime, shortMs, timeOfDay } from "../lib/format";
import { deliveryTime, messageOfDelivery } from "../model/entries";
import { addressText, deliveryOutcome } from "../model/outcome";
import type { Session } from "../model/session";
import type { Attempt, DeliveryRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { Empty, ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { LogPanel } from "./log-panel";
import { PingButton } from "./ping-button";
import { ReplayButton } from "./replay-button";
import { Facts, ItemLink, RowToggle, ThreadLink, TimeCell } from "./row-parts";

const searchText = (delivery: DeliveryRecord): string => {
  const { id, eventType, hookId, url, status, threadId, reason, body, attempts } = delivery;
  const event = `${id} ${eventType} ${hookId} ${url} ${status} ${threadId} ${reason}`;
  return `${event} ${JSON.stringify(body)} ${JSON.stringify(attempts)}`;
};
const deliveryThread = ({ threadId }: DeliveryRecord): string => threadId;

/** The customer and the message that the event is about. */
function subjectOf({ tables }: Session, delivery: DeliveryRecord): string {
  const { threadId } = delivery;
  const thread = tables.threads.get(threadId);
  const text = payloadOf(delivery).messageBody;
  const who = thread === undefined ? threadId : tables.customerName(thread);
  return text ? `${who}: ${text}` : who;
}

export default function DeliveriesPanel() {
  const { session } = useApp();
  return (
    <LogPanel
      name="Deliveries"
      log={session.deliveries}
      searchText={searchText}
      threadOf={deliveryThread}
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
                {delivery.eventType} {delivery.hookId} {addressText(delivery)}
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
  const webhooks = [...useApp().session.tables.webhooks.records.values()];
  return (
    <Empty title="No deliveries yet">
      {webhooks.some(({ enabled }) => enabled)
        ? "Messages and transfers cause events, which go to webhooks."
        : "No webhook is enabled: events are not sent."}
    </Empty>
  );
}

/** What caused a delivery, its event, each attempt and what the receiver answered. */
function DeliveryDetails({ delivery }: { delivery: DeliveryRecord }) {
  const { session } = useApp();
  const { causedBy } = delivery;
  const message = messageOfDelivery(delivery);
  return (
    <>
      <Reason delivery={delivery} />
      <Facts
        facts={[
          ["Id", delivery.id],
          [
            "Caused by",
            causedBy === null ? (
              "the clock"
            ) : causedBy.startsWith("r") && session.requests.get(causedBy) !== undefined ? (
              <ItemLink id={causedBy}>request {causedBy}</ItemLink>
            ) : (
              `${causedBy.startsWith("r") ? "request" : "control call"} ${causedBy}`
            ),
          ],
          ["Webhook", `${delivery.hookId}${delivery.legacy ? " (legacy)" : ""}`],
          ["To", <span key="u">{addressText(delivery)}</span>],
          ["Thread", <ThreadLink key="t" id={delivery.threadId} />],
          message === null ? null : ["Message", message],
          delivery.nextAttemptAt === null ? null : ["Next attempt", isoTime(delivery.nextAttemptAt)],
        ]}
      />
      <Attempts attempts={delivery.attempts} />
      <Code label="Payload" value={delivery.body} />
      <Code label="Headers" value={maskedHeaders(delivery.headers)} />
      <div class="row">
        <CopyButton text={deliveryCurl(session, delivery)} label="Copy curl" />
        <CopyButton text={delivery.id} label="Copy id" />
        <PingButton hookId={delivery.webhookId} />
      </div>
    </>
  );
}

const STATES: Readonly<Record<string, string>> = { dropped: "Dropped", blocked: "Blocked" };

/** Why it was blocked, held or dropped, which is no failure. */
function Reason({ delivery: { status, reason } }: { delivery: DeliveryRecord }) {
  if (reason === null) return null;
  const option = /--allow-outbound \S+/.exec(reason)?.[0];
  return (
    <div class={`reason ${status}`}>
      <Icon name={status === "blocked" ? "shield" : "warn"} />
      <div>
        <p>
          <strong>{STATES[status] ?? "Held"}.</strong> {reason}
        </p>
        {option === undefined ? null : (
          <p class="row">
            <code>{option}</code> <CopyButton small text={option} label="Copy option" />
          </p>
        )}
      </div>
    </div>
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <section class="attempts" aria-label="Attempts">
      <h3>Attempts</h3>
      {attempts.length === 0 ? <p class="muted">No attempts.</p> : null}
      <ol>
        <Bounded items={attempts} step={20}>
          {(attempt, at) => (
            <li key={`${attempt.at} ${at}`}>
              <p class="row">
                <Pill tone={attempt.status !== null && attempt.status < 300 ? "good" : "bad"}>
                  {attempt.status ?? "no response"}
                </Pill>
                <span class="muted">
                  {timeOfDay(attempt.at)}, took {shortMs(attempt.durationMs)}
                  {attempt.copy ? ", a changed copy" : ""}
                  {attempt.fault === undefined ? "" : `, fault ${attempt.fault}`}
                </span>
              </p>
              <ErrorText text={attempt.error ?? ""} />
              {attempt.responseBody === null ? null : (
                <Code label="Receiver's answer" value={attempt.responseBody} />
              )}
            </li>
          )}
        </Bounded>
      </ol>
    </section>
  );
}

import { masked, maskedAddress } from "../../../src/kernel/masking.js";
import { useApp } from "../lib/context";
import { deliveryCurl } from "../lib/curl";
import { isoTime, shortMs, timeOfDay } from "../lib/format";
import { messageOfDelivery, previousOf } from "../model/entries";
import type { Attempt, DeliveryRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { ChangeReplay } from "./change-replay";
import { PingButton } from "./ping-button";
import { Facts, ItemLink } from "./row-parts";
import { WhatChanged } from "./what-changed";

/** What caused a delivery, what else that changed, its event, each attempt and what the receiver answered. */
export function DeliveryDetails({ delivery }: { delivery: DeliveryRecord }) {
  const { session, navigate } = useApp();
  const { causedBy } = delivery;
  const message = messageOfDelivery(delivery);
  const { webhookId, eventType } = delivery;
  const last = previousOf(
    session.deliveries.entries,
    delivery,
    (one) => one.webhookId === webhookId && one.eventType === eventType,
  );
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
          [
            "To",
            <span key="u" class="break">
              {maskedAddress(delivery.url)}
            </span>,
          ],
          [
            "Thread",
            <button
              key="t"
              type="button"
              class="link"
              onClick={() => navigate({ thread: delivery.threadId })}
            >
              {delivery.threadId}
            </button>,
          ],
          message === null ? null : ["Message", message],
          delivery.nextAttemptAt === null ? null : ["Next attempt", isoTime(delivery.nextAttemptAt)],
        ]}
      />
      {causedBy === null ? null : <WhatChanged cause={causedBy} />}
      <Attempts attempts={delivery.attempts} />
      <Code label="Payload" value={delivery.body} before={last && { id: last.id, value: last.body }} />
      <Code label="Headers" value={masked(delivery.headers, "headers", { isStrict: true })} />
      <div class="row">
        <ChangeReplay delivery={delivery} />
        <CopyButton text={deliveryCurl(session, delivery)} label="Copy curl" />
        <CopyButton
          text={`- emit: ${JSON.stringify({ event: delivery.eventType, data: delivery.legacy ? delivery.body : delivery.body.data })}`}
          label="Copy scenario step"
        />
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
                  {attempt.status ?? "no answer"}
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

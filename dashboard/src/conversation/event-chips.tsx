import { useApp, useItem, useOpenItem } from "../lib/context";
import {
  addressText,
  deliveryOutcome,
  operationName,
  receiverName,
  refusalOf,
  requestOutcome,
  warningNames,
} from "../model/outcome";
import type { DeliveryRecord, RequestRecord } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";
import type { StoryEvent } from "../story/placing";
import type { Fold } from "../story/turns";

/** Chips between two messages: what was delivered where, what was called, how each ended, and what else changed. */
export const EventChips = ({ folds }: { folds: readonly Fold[] }) => (
  <ul class="chips" aria-label="What happened">
    <Bounded items={folds} step={20}>
      {({ newest, ids }) => (
        <li key={ids[0]}>
          {newest.kind === "request" ? (
            <RequestChip request={newest.entry} ids={ids} />
          ) : newest.kind === "delivery" ? (
            <DeliveryChip delivery={newest.entry} ids={ids} />
          ) : (
            <Note note={newest} />
          )}
        </li>
      )}
    </Bounded>
  </ul>
);

/** How many calls or deliveries a chip stands for, of those that the page keeps. */
function Times({ ids, log }: { ids: readonly string[]; log: "requests" | "deliveries" }) {
  const { isCut, entries } = useApp().session[log];
  if (ids.length === 1) return null;
  const beyond = isCut && ids[0] === entries[0]?.id ? "more than " : "";
  return (
    <b class="times">
      {beyond}×{ids.length.toLocaleString("en")}
    </b>
  );
}

/** Something that is no call and no delivery, with its cause. */
const Note = ({ note: { text, cause } }: { note: Extract<StoryEvent, { kind: "note" }> }) => (
  <p class="note">
    {text} <span class="muted">· {cause}</span>
  </p>
);

/** The rule that fired. */
const Fault = ({ id }: { id: string | undefined }) =>
  id === undefined ? null : (
    <b class="fired">
      <Icon name="bolt" /> fault {id}
    </b>
  );

const ORDINALS = ["", "", ", second attempt,", ", third attempt,"];
/** Which attempt was the last; nothing for the first. */
const attemptText = ({ length }: DeliveryRecord["attempts"]): string =>
  length < ORDINALS.length ? (ORDINALS[length] ?? "") : `, attempt ${length},`;

function DeliveryChip({ delivery, ids }: { delivery: DeliveryRecord; ids: readonly string[] }) {
  const { session } = useApp();
  const item = useItem();
  const open = useOpenItem();
  const { tone, description } = deliveryOutcome(delivery);
  const several = session.tables.webhooks.records.size > 1;
  const transfer = delivery.eventType === "transfer" ? "transfer: " : "";
  return (
    <Button
      icon={tone === "held" ? "shield" : "hook"}
      class={`chip ${tone}`}
      aria-pressed={ids.includes(item ?? "")}
      title={delivery.reason ?? `${delivery.eventType} event to ${delivery.hookId}: ${addressText(delivery)}`}
      onClick={() => open(delivery.id)}
    >
      <span>
        {transfer}
        {receiverName(delivery)}
        {attemptText(delivery.attempts)} {description}
      </span>
      <Fault id={delivery.attempts.at(-1)?.fault} />
      {several ? <span class="chip-sub">{delivery.hookId}</span> : null}
      <Times ids={ids} log="deliveries" />
    </Button>
  );
}

function RequestChip({ request, ids }: { request: RequestRecord; ids: readonly string[] }) {
  const item = useItem();
  const open = useOpenItem();
  const { tone, description } = requestOutcome(request);
  const { operation, path } = request;
  const label = operation === null ? path : operationName(operation);
  const isRefused = (request.status ?? 0) >= 400;
  return (
    <Button
      icon="call"
      class={`chip ${tone}`}
      aria-pressed={ids.includes(item ?? "")}
      title={`${request.method} ${request.path}`}
      onClick={() => open(request.id)}
    >
      <span>
        {request.by === "scenario" ? "scenario: " : ""}
        {label} → {isRefused ? `${request.status}: ${refusalOf(request)}` : description}{" "}
        <b>{warningNames(request)}</b>
      </span>
      <Fault id={request.fault} />
      <Times ids={ids} log="requests" />
    </Button>
  );
}

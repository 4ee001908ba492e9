import { useState } from "preact/hooks";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { PingButton } from "../inspector/ping-button";
import { submitting, useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { deliveryOutcome } from "../model/outcome";
import type { Webhook } from "../model/types";
import { withUndo } from "../model/undo";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { ErrorText } from "../parts/empty";
import { Options, Select } from "../parts/options";
import { EventsField, type Subscriptions } from "./events-field";

/** The webhooks of the sandbox, to change and to add to. */
export function WebhookList() {
  const { session } = useApp();
  const webhooks = [...session.tables.webhooks.records.values()];
  const [adding, setAdding] = useState(false);
  return (
    <>
      {webhooks.length === 0 ? <p class="muted">No webhooks: events are not sent.</p> : null}
      <ul class="webhooks" aria-label="Webhooks">
        <Bounded items={webhooks} step={10}>
          {(webhook) => <WebhookItem key={webhook.id} webhook={webhook} />}
        </Bounded>
      </ul>
      {adding ? (
        <AddWebhook onDone={() => setAdding(false)} />
      ) : (
        <div>
          <Button class="ghost small" onClick={() => setAdding(true)}>
            Add a webhook…
          </Button>
        </div>
      )}
    </>
  );
}

function AddWebhook({ onDone }: { onDone: () => void }) {
  const { session } = useApp();
  const organizations = [...session.tables.organizations.records.values()];
  const action = useAction();
  const [url, setUrl] = useState("");
  const [organizationId, setOrganizationId] = useState(organizations[0]?.id ?? "");
  const [subscribedEvents, setEvents] = useState<Subscriptions>(["messages", "transfers"]);
  const add = async () => {
    const body = { organizationId, url: url.trim(), subscribedEvents };
    if (await action.run(() => session.transport.call("POST", "/data/webhooks", { body }))) onDone();
  };
  return (
    <form class="webhook" aria-label="New webhook" onSubmit={submitting(add)}>
      <label class="inline-field">
        <span>URL of the new webhook</span>
        <input
          class="grow"
          autocomplete="off"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <Select
          class="inline-field"
          small
          label="Organization"
          value={organizationId}
          onChoose={setOrganizationId}
        >
          <Options choices={organizations} chosen={organizationId} />
        </Select>
        <EventsField of="the new webhook" events={subscribedEvents} onChange={setEvents} />
        <button type="submit" class="small primary" disabled={action.busy}>
          Add
        </button>
        <Button class="small" onClick={onDone}>
          Cancel
        </Button>
      </div>
      <ErrorText text={action.error} />
    </form>
  );
}

/** What is changed of a webhook and not saved yet. */
type Draft = Partial<Pick<Webhook, "url" | "subscribedEvents">>;

/** One webhook in words, with what can be changed of it. */
function WebhookItem({ webhook }: { webhook: Webhook }) {
  const { session } = useApp();
  const { transport, tables } = session;
  const action = useAction();
  const [draft, setDraft] = useState<Draft>({});
  const { id, hookId, organizationId, enabled, legacy } = webhook;
  const { url, subscribedEvents } = { ...webhook, ...draft };
  const changed = url !== webhook.url || subscribedEvents.join() !== webhook.subscribedEvents.join();
  const path = `/data/webhooks/${encodeURIComponent(id)}`;
  const patch = (body: Partial<Webhook>) => action.run(() => transport.call("PATCH", path, { body }));
  const save = async () => {
    // An address that stays is left out: it may be masked.
    const written = draft.url === undefined ? draft : { ...draft, url: url.trim() };
    if (await patch(written)) setDraft({});
  };
  const remove = () =>
    action.run(() =>
      withUndo(session, "webhook removed", async () => {
        await transport.call("DELETE", path);
        return `Webhook ${hookId} removed`;
      }),
    );
  return (
    <li class="webhook" aria-label={`Webhook ${hookId}`}>
      <div class="row spread">
        <strong class="break">{hookId}</strong>
        <span class="muted small-text grow">
          <bdi>{tables.organizations.get(organizationId)?.name ?? organizationId}</bdi>
          {legacy ? ", legacy payloads" : ""}
        </span>
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={enabled}
            aria-checked={enabled}
            aria-label={`Enabled: ${hookId}`}
            onChange={() => patch({ enabled: !enabled })}
          />
          <span class="track" aria-hidden="true" />
          <span>{enabled ? "Enabled" : "Disabled"}</span>
        </label>
      </div>
      <form class="stack tight" onSubmit={submitting(save)}>
        <input
          aria-label={`URL of ${hookId}`}
          autocomplete="off"
          spellcheck={false}
          value={url}
          onInput={({ currentTarget }) => setDraft({ ...draft, url: currentTarget.value })}
        />
        <div class="row">
          <EventsField
            of={hookId}
            events={subscribedEvents}
            onChange={(events) => setDraft({ ...draft, subscribedEvents: events })}
          />
          {changed ? (
            <button type="submit" class="small primary" disabled={action.busy}>
              Save {hookId}
            </button>
          ) : null}
          <PingButton hookId={id} label={`Ping ${hookId}`} />
          <Button class="ghost small" onClick={remove}>
            Remove {hookId}
          </Button>
        </div>
      </form>
      <p class="why">{useWords(webhook)}</p>
      <ErrorText text={action.error} />
    </li>
  );
}

/** What a webhook gets, and what became of its newest event. */
function useWords({ id, url, enabled, subscribedEvents }: Webhook): string {
  const { session } = useApp();
  if (!enabled) return "Disabled: receives no events.";
  if (subscribedEvents.length === 0) return "Receives nothing: not subscribed to any event.";
  const address = maskedAddress(url);
  const last = session.deliveries.entries.findLast(
    (one) => one.webhookId === id && maskedAddress(one.url) === address,
  );
  const outcome = last === undefined ? "Nothing sent yet" : `Last: ${deliveryOutcome(last).description}`;
  return `Receives ${subscribedEvents.join(" and ")}. ${outcome}.`;
}

import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { Bounded } from "../parts/bounded";
import { ErrorText } from "../parts/empty";
import type { Subscriptions } from "./events-field";
import { EventsField } from "./events-field";
import { WebhookItem } from "./webhook-item";

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
          <button type="button" class="ghost small" onClick={() => setAdding(true)}>
            Add a webhook…
          </button>
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
    <form
      class="webhook"
      aria-label="New webhook"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
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
        <label class="inline-field">
          <span>Organization</span>
          <select
            class="small"
            value={organizationId}
            onChange={(event) => setOrganizationId(event.currentTarget.value)}
          >
            {organizations.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <EventsField of="the new webhook" events={subscribedEvents} onChange={setEvents} />
        <button type="submit" class="small primary" disabled={action.busy}>
          Add
        </button>
        <button type="button" class="small" onClick={onDone}>
          Cancel
        </button>
      </div>
      <ErrorText text={action.error} />
    </form>
  );
}

import { useState } from "preact/hooks";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { PingButton } from "../inspector/ping-button";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { addressText, deliveryOutcome } from "../model/outcome";
import type { Webhook } from "../model/types";
import { withUndo } from "../model/undo";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { ErrorText } from "../parts/empty";
import { RecordEditor } from "../world/record-editor";

/** The webhooks of the sandbox. */
export function WebhookList() {
  const { session } = useApp();
  const webhooks = [...session.tables.webhooks.records.values()];
  return (
    <>
      {webhooks.length === 0 ? <p class="muted">No webhooks: events are not sent.</p> : null}
      <ul class="records" aria-label="Webhooks">
        <Bounded items={webhooks} step={10}>
          {(webhook) => <WebhookItem key={webhook.id} webhook={webhook} />}
        </Bounded>
      </ul>
    </>
  );
}

/** One webhook in words, with what can be changed of it. */
function WebhookItem({ webhook }: { webhook: Webhook }) {
  const { session } = useApp();
  const { transport, tables } = session;
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const { id, hookId, organizationId, enabled, legacy } = webhook;
  const path = `/data/webhooks/${encodeURIComponent(id)}`;
  const toggle = () => action.run(() => transport.call("PATCH", path, { body: { enabled: !enabled } }));
  const remove = () =>
    action.run(() =>
      withUndo(session, "webhook removed", async () => {
        await transport.call("DELETE", path);
        return `Webhook ${hookId} removed`;
      }),
    );
  return (
    <li class="card" aria-label={`Webhook ${hookId}`}>
      <div class="row spread">
        <strong>{hookId}</strong>
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
            onChange={toggle}
          />
          <span class="track" aria-hidden="true" />
          <span>{enabled ? "Enabled" : "Disabled"}</span>
        </label>
      </div>
      <code>{addressText(webhook)}</code>
      <p class="why">{useWords(webhook)}</p>
      {isOpen ? (
        <RecordEditor collection="webhooks" record={webhook} onClose={() => setOpen(false)} />
      ) : (
        <div class="row">
          <PingButton hookId={id} label={`Ping ${hookId}`} />
          <Button class="ghost small" onClick={() => setOpen(true)}>
            Edit {hookId}
          </Button>
          <Button class="ghost small" onClick={remove}>
            Remove {hookId}
          </Button>
        </div>
      )}
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

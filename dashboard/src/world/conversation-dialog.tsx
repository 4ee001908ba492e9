import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import type { NewConversation } from "../model/new-conversation";
import { CHANNELS, startConversation } from "../model/new-conversation";
import { ActionForm } from "../parts/action-form";
import { Dialog } from "../parts/dialog";
import { Options } from "../parts/options";
import { CustomerChoice } from "./customer-choice";

/** Begins a conversation: where, over which channel, with whom, and what the customer writes first. */
export default function ConversationDialog({ onClose }: { onClose: () => void }) {
  const { session, navigate } = useApp();
  const businesses = [...session.tables.businesses.records.values()];
  const [form, setForm] = useState<NewConversation>({
    businessId: businesses[0]?.id ?? "",
    channel: "WHATSAPP",
    customer: { displayName: "" },
    text: "",
  });
  const change = (part: Partial<NewConversation>) => setForm({ ...form, ...part });
  const start = async () => {
    const thread = await startConversation(session, form);
    navigate({ thread, item: null });
    onClose();
  };
  return (
    <Dialog title="New conversation" onClose={onClose}>
      <ActionForm submit="Start conversation" onSubmit={start} onClose={onClose}>
        <label class="field">
          <span>Business</span>
          <select
            value={form.businessId}
            onChange={({ currentTarget }) =>
              change({ businessId: currentTarget.value, customer: { displayName: "" } })
            }
          >
            <Options choices={businesses} chosen={form.businessId} />
          </select>
        </label>
        <label class="field">
          <span>Channel</span>
          <select
            value={form.channel}
            onChange={({ currentTarget }) => change({ channel: currentTarget.value })}
          >
            {CHANNELS.map((channel) => (
              <option key={channel}>{channel}</option>
            ))}
          </select>
        </label>
        <CustomerChoice
          organizationId={session.tables.businesses.get(form.businessId)?.organizationId ?? ""}
          customer={form.customer}
          onChange={(customer) => change({ customer })}
        />
        <label class="field">
          <span>First message</span>
          <textarea
            rows={2}
            dir="auto"
            value={form.text}
            onInput={({ currentTarget }) => change({ text: currentTarget.value })}
          />
        </label>
      </ActionForm>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import {
  CHANNELS,
  type ChosenCustomer,
  type NewConversation,
  type NewCustomer,
  startConversation,
} from "../model/new-conversation";
import { ActionForm } from "../parts/action-form";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/field";
import { Options } from "../parts/options";

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
        <Field label="First message" rows={2} value={form.text} onText={(text) => change({ text })} />
      </ActionForm>
    </Dialog>
  );
}

const FIELDS = [
  ["displayName", "Name", "text"],
  ["phoneNumber", "Phone number", "tel"],
  ["emailAddress", "E-mail address", "email"],
] as const;

interface Props {
  readonly organizationId: string;
  readonly customer: ChosenCustomer;
  readonly onChange: (customer: ChosenCustomer) => void;
}

/** A new customer, or one of the organization's. */
function CustomerChoice({ organizationId, customer, onChange }: Props) {
  const { session } = useApp();
  const [search, setSearch] = useState("");
  const all = [...session.tables.customers.records.values()].filter(
    (one) => one.organizationId === organizationId,
  );
  const known = all.map(({ id, displayName, phoneNumber, emailAddress }) => ({
    id,
    name: [displayName, phoneNumber, emailAddress].filter(Boolean).join(", ") || id,
  }));
  const found = known.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const isNew = typeof customer === "object";
  const choices = [
    [true, "A new customer", { displayName: "" }],
    [false, "Existing customer", known[0]?.id ?? ""],
  ] as const;
  return (
    <>
      <fieldset class="segments">
        <legend class="visually-hidden">Customer</legend>
        {choices.map(([value, label, first]) => (
          <label key={label}>
            <input
              type="radio"
              name="customer-choice"
              checked={isNew === value}
              disabled={!value && known.length === 0}
              onChange={() => onChange(first)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {isNew ? (
        <NewCustomerFields customer={customer} onChange={onChange} />
      ) : (
        <div class="stack tight">
          <input
            type="search"
            aria-label="Search customers"
            placeholder="Search name, phone, e-mail"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <label class="field">
            <span>Matching customer</span>
            <select value={customer} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
              <Options choices={withChosen(found, known, customer)} chosen={customer} />
            </select>
          </label>
        </div>
      )}
    </>
  );
}

/** The choices with the one that is chosen among them, whatever is searched for. */
function withChosen<T extends { readonly id: string }>(
  found: readonly T[],
  all: readonly T[],
  id: string,
): readonly T[] {
  const chosen = all.filter((one) => one.id === id);
  return [...chosen, ...found.filter((one) => one.id !== id)];
}

interface FieldsProps {
  readonly customer: NewCustomer;
  readonly onChange: (customer: NewCustomer) => void;
}

const NewCustomerFields = ({ customer, onChange }: FieldsProps) => (
  <>
    {FIELDS.map(([field, label, type]) => (
      <Field
        key={field}
        label={label}
        inputMode={type}
        value={customer[field] ?? ""}
        onText={(text) => onChange({ ...customer, [field]: text })}
      />
    ))}
  </>
);

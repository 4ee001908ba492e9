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
import { Options, Select } from "../parts/options";
import { Segments } from "../parts/segments";

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
  const organizationOf = (businessId: string) =>
    session.tables.businesses.get(businessId)?.organizationId ?? "";
  const moveTo = (businessId: string) => {
    const isKept =
      typeof form.customer === "object" || organizationOf(businessId) === organizationOf(form.businessId);
    change({ businessId, customer: isKept ? form.customer : { displayName: "" } });
  };
  const start = async () => {
    const thread = await startConversation(session, form);
    navigate({ thread, item: null });
    onClose();
  };
  return (
    <Dialog title="New conversation" onClose={onClose}>
      <ActionForm submit="Start conversation" onSubmit={start} onClose={onClose}>
        <Select label="Business" value={form.businessId} onChoose={moveTo}>
          <Options choices={businesses} chosen={form.businessId} />
        </Select>
        <Select label="Channel" value={form.channel} onChoose={(channel) => change({ channel })}>
          {CHANNELS.map((channel) => (
            <option key={channel}>{channel}</option>
          ))}
        </Select>
        <CustomerChoice
          organizationId={organizationOf(form.businessId)}
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
  const all = [...session.tables.customers.records.values()].filter(
    (one) => one.organizationId === organizationId,
  );
  const known = all.map(({ id, displayName, phoneNumber, emailAddress }) => ({
    id,
    name: [displayName, phoneNumber, emailAddress].filter(Boolean).join(", ") || id,
  }));
  const isNew = typeof customer === "object";
  return (
    <>
      <Segments
        label="Customer"
        choices={[
          [true, "A new customer"],
          [false, "Existing customer", known.length === 0],
        ]}
        chosen={isNew}
        onChoose={(value) => onChange(value ? { displayName: "" } : (known[0]?.id ?? ""))}
      />
      {isNew ? (
        <NewCustomerFields customer={customer} onChange={onChange} />
      ) : (
        <Select label="Existing customer" value={customer} onChoose={onChange}>
          <Options choices={known} chosen={customer} />
        </Select>
      )}
    </>
  );
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

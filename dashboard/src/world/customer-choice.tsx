import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import type { ChosenCustomer, NewCustomer } from "../model/new-conversation";
import { Options } from "../parts/options";

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
export function CustomerChoice({ organizationId, customer, onChange }: Props) {
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
      <label key={field} class="field">
        <span>{label}</span>
        <input
          inputMode={type}
          dir="auto"
          autocomplete="off"
          value={customer[field] ?? ""}
          onInput={({ currentTarget }) => onChange({ ...customer, [field]: currentTarget.value })}
        />
      </label>
    ))}
  </>
);

import { useId, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { ActionForm } from "../parts/action-form";
import type { Field } from "./record-fields";

interface Props<R> {
  /** The collection in which the record is. */
  readonly collection: string;
  readonly record: R;
  readonly fields: readonly Field<R>[];
  readonly onClose: () => void;
}

/** Shows a record and saves what is changed of it. */
export function RecordForm<R extends { readonly id: string }>({
  collection,
  record,
  fields,
  onClose,
}: Props<R>) {
  const { session, notify } = useApp();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const save = async () => {
    const context = { now: session.clock.now() };
    const edited = fields.filter(({ label, read }) => (texts[label] ?? read(record)) !== read(record));
    const body = edited.reduce<R>(
      (all, field) => field.write(all, texts[field.label] ?? "", context),
      record,
    );
    const path = `/data/${collection}/${encodeURIComponent(record.id)}`;
    await session.transport.call("PUT", path, { body });
    notify(edited.length === 0 ? "Nothing was changed" : "Saved");
    onClose();
  };
  return (
    <ActionForm submit="Save" onSubmit={save} onClose={onClose}>
      <div class="record-fields">
        {fields.map((field) => (
          <FieldInput
            key={field.label}
            field={field}
            value={texts[field.label] ?? field.read(record)}
            onChange={(text) => setTexts({ ...texts, [field.label]: text })}
          />
        ))}
      </div>
    </ActionForm>
  );
}

interface InputProps<R> {
  readonly field: Field<R>;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function FieldInput<R>({ field: { label, rows, choices }, value, onChange }: InputProps<R>) {
  const id = useId();
  const set = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value);
  return (
    <div class={rows === undefined ? "field" : "field whole"}>
      <label for={id}>{label}</label>
      {choices !== undefined ? (
        <select id={id} value={value} onChange={set}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : rows === undefined ? (
        <input id={id} dir="auto" autocomplete="off" value={value} onInput={set} />
      ) : (
        <textarea id={id} rows={rows} dir="auto" value={value} onInput={set} />
      )}
    </div>
  );
}

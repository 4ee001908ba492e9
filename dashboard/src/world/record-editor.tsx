import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { pretty } from "../lib/format";
import { ActionForm } from "../parts/action-form";
import { Field } from "../parts/field";

interface Props {
  /** The collection in which the record is. */
  readonly collection: string;
  readonly record: { readonly id: string };
  readonly onClose: () => void;
}

/** A record as JSON, which replaces the record when it is saved. */
export function RecordEditor({ collection, record, onClose }: Props) {
  const { session, notify } = useApp();
  const [text, setText] = useState(() => pretty(record));
  const save = async () => {
    const body: unknown = JSON.parse(text);
    await session.transport.call("PUT", `/data/${collection}/${encodeURIComponent(record.id)}`, { body });
    notify("Saved");
    onClose();
  };
  return (
    <ActionForm submit="Save" onSubmit={save} onClose={onClose}>
      <Field label="Record" mono rows={14} value={text} onText={setText} />
    </ActionForm>
  );
}

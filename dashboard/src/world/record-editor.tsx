import { useState } from "preact/hooks";
import { MASK } from "../../../src/kernel/masking.js";
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

const isMasked = (value: unknown): boolean => JSON.stringify(value).includes(MASK);

/** A record as JSON, which replaces the record when it is saved. Fields with a secret are left out, and stay as they are. */
export function RecordEditor({ collection, record, onClose }: Props) {
  const { session, notify } = useApp();
  const secret = Object.keys(record).filter((name) => isMasked(Reflect.get(record, name)));
  const [text, setText] = useState(() =>
    pretty(Object.fromEntries(Object.entries(record).filter(([name]) => !secret.includes(name)))),
  );
  const save = async () => {
    const body: unknown = JSON.parse(text);
    const method = secret.length === 0 ? "PUT" : "PATCH";
    await session.transport.call(method, `/data/${collection}/${encodeURIComponent(record.id)}`, { body });
    notify("Saved");
    onClose();
  };
  return (
    <ActionForm submit="Save" onSubmit={save} onClose={onClose}>
      {secret.length === 0 ? null : <p class="muted small-text">Left out: {secret.join(", ")}</p>}
      <Field label="Record" mono rows={14} value={text} onText={setText} />
    </ActionForm>
  );
}

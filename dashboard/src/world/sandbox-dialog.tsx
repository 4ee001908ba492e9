import { useState } from "preact/hooks";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { useApp } from "../lib/context";
import type { SandboxInfo } from "../model/types";
import { ActionForm } from "../parts/action-form";
import { Dialog } from "../parts/dialog";
import { Field } from "../parts/field";

const FIELDS = [
  ["id", "Name", "generated if empty"],
  ["seed", "Seed", "the server's seed"],
  ["clock", "Frozen clock", "real time if empty"],
] as const;

/** Makes a sandbox and opens it. */
export default function SandboxDialog({ onClose }: { onClose: () => void }) {
  const { session, navigate, notify } = useApp();
  const [form, setForm] = useState({ id: "", seed: "", clock: "" });
  const make = async () => {
    const { id: name, seed, clock } = form;
    const chosen = (text: string) => text.trim() || undefined;
    const isNumber = /^\d{1,15}$/.test(seed.trim());
    const body = omitUndefined({
      id: chosen(name),
      seed: isNumber ? Number(seed) : chosen(seed),
      clock: chosen(clock),
    });
    const { id } = await session.server.call<SandboxInfo>("POST", "/sandboxes", { body });
    notify(`Sandbox ${id} created`);
    onClose();
    navigate({ sandbox: id, thread: null, item: null });
  };
  return (
    <Dialog title="New sandbox" onClose={onClose}>
      <ActionForm submit="Create sandbox" onSubmit={make} onClose={onClose}>
        <p class="muted">A new sandbox with the server's fixture.</p>
        {FIELDS.map(([field, label, placeholder]) => (
          <Field
            key={field}
            label={label}
            placeholder={placeholder}
            value={form[field]}
            onText={(text) => setForm({ ...form, [field]: text })}
          />
        ))}
      </ActionForm>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { submitting, useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { OPERATIONS, operationName } from "../model/outcome";
import { ErrorText } from "../parts/empty";
import { Field } from "../parts/field";
import { Select } from "../parts/options";
import { type FaultDraft, faultOf, firstLabel } from "./fault-draft";

/** The fields that hold one short value, in the order in which they stand. */
const FIELDS = [
  ["thread", "Thread", "any"],
  ["nth", "First", "1"],
  ["probability", "Probability", "1"],
  ["delayMs", "Delay, ms", "none"],
  ["status", "Status", "unchanged"],
] as const satisfies readonly (readonly [keyof FaultDraft, label: string, placeholder: string])[];

const EMPTY = {
  kind: "",
  thread: "",
  nth: "",
  probability: "",
  delayMs: "",
  status: "",
  body: "",
};

/** A fault for calls or deliveries, field by field. */
export default function FaultForm({ on, times }: Pick<FaultDraft, "on" | "times">) {
  const { session, route } = useApp();
  const action = useAction();
  const [values, setValues] = useState(EMPTY);
  const isCall = on === "request";
  const draft = { on, times, ...values };
  const set = (name: keyof typeof EMPTY, value: string) => setValues({ ...values, [name]: value });
  const kinds = isCall ? OPERATIONS : ["message", "transfer"];
  const arm = () =>
    action.run(async () => session.transport.call("POST", "/faults", { body: faultOf(draft) }));
  return (
    <form class="stack" aria-label="Fault by hand" onSubmit={submitting(arm)}>
      <div class="fault-fields">
        <Select
          class="field wide"
          label={isCall ? "Operation" : "Event"}
          value={values.kind}
          onChoose={(kind) => set("kind", kind)}
        >
          <option value="">any</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {isCall ? operationName(kind) : kind}
            </option>
          ))}
        </Select>
        {FIELDS.map(([name, label, placeholder]) => (
          <Field
            key={name}
            label={name === "nth" ? firstLabel(on) : label}
            inputMode={name === "thread" ? "text" : "decimal"}
            placeholder={
              name === "thread" && route.thread !== null ? `any, e.g. ${route.thread}` : placeholder
            }
            value={values[name]}
            onText={(text) => set(name, text)}
          />
        ))}
        <Field
          class="wide"
          label="Response body"
          mono
          rows={2}
          placeholder='JSON or text, such as {"error":"Try later"}'
          value={values.body}
          onText={(text) => set("body", text)}
        />
      </div>
      <ErrorText text={action.error} />
      <div class="row end">
        <button type="submit" class="primary" disabled={action.busy}>
          Arm fault
        </button>
      </div>
    </form>
  );
}

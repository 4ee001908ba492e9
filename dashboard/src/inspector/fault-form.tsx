import { useEffect, useState } from "preact/hooks";
import { submitting, useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { plural } from "../lib/format";
import { operationName } from "../model/outcome";
import type { CoverageReport } from "../model/types";
import { ErrorText } from "../parts/empty";
import { Field } from "../parts/field";
import { Select } from "../parts/options";
import { COMPARED, type FaultDraft, faultOf, firstLabel, wouldFire } from "./fault-draft";
import { ItemLink } from "./row-parts";

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

/** A fault for calls or deliveries, field by field, and which of the last ones it would have met. */
export default function FaultForm({ on, times }: Pick<FaultDraft, "on" | "times">) {
  const { session, route } = useApp();
  const action = useAction();
  const [values, setValues] = useState(EMPTY);
  const isCall = on === "request";
  const draft = { on, times, ...values };
  const set = (name: keyof typeof EMPTY, value: string) => setValues({ ...values, [name]: value });
  const operations = useOperations();
  const kinds = isCall ? operations : ["message", "transfer"];
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
      <WouldFire draft={draft} />
      <ErrorText text={action.error} />
      <div class="row end">
        <button type="submit" class="primary" disabled={action.busy}>
          Arm fault
        </button>
      </div>
    </form>
  );
}

/** The ids of all operations of the simulated API; none while they are loaded. */
function useOperations(): readonly string[] {
  const { transport } = useApp().session;
  const [ids, setIds] = useState<readonly string[]>([]);
  useEffect(() => {
    transport.call<CoverageReport>("GET", "/coverage").then(
      ({ operations }) => setIds(operations.map(({ operation }) => operation)),
      () => {},
    );
  }, [transport]);
  return ids;
}

/** Which of the last calls or deliveries the fault would have met. */
function WouldFire({ draft }: { draft: FaultDraft }) {
  const { session } = useApp();
  const isCall = draft.on === "request";
  const { entries } = isCall ? session.requests : session.deliveries;
  const what = isCall ? "call" : "delivery";
  const last = plural(Math.min(COMPARED, entries.length), what, isCall ? "calls" : "deliveries");
  const matching = wouldFire(draft, entries);
  const firing = matching.filter(({ fires }) => fires);
  const maybe = Number(draft.probability || 1) < 1 ? `, each with probability ${draft.probability}` : "";
  if (entries.length === 0)
    return <p class="muted">No {isCall ? "calls" : "deliveries"} to compare with yet.</p>;
  return (
    <section aria-label="Would have fired" class="would-fire">
      <p>
        Of the last {last}, <b>{matching.length}</b> match, and the fault would have fired on{" "}
        <b>{firing.length}</b>
        {maybe}.
      </p>
      {firing.length === 0 ? null : (
        <p class="row">
          {firing.map(({ id }) => (
            <ItemLink key={id} id={id} />
          ))}
        </p>
      )}
      {isCall && draft.thread.trim() !== "" && matching.length === 0 ? (
        <p class="muted">Only calls that name the thread in the body can match, not in the query.</p>
      ) : null}
    </section>
  );
}

import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { ruleName, ruleScope } from "../model/fault-descriptions";
import { armInstead } from "../model/moment";
import { Bounded } from "../parts/bounded";
import { CopyButton } from "../parts/copy-button";
import { Empty, ErrorText } from "../parts/empty";
import { Pill } from "../parts/pill";
import { ArmFault } from "./arm-fault";
import "../styles/faults.css";

/** Fault presets to arm, and the armed faults with their counters. */
export default function FaultsPanel() {
  const { session } = useApp();
  const action = useAction();
  const { transport } = session;
  const faults = session.faults.value;
  const armed = session.armed.value;
  const disarm = (id?: string) =>
    action.run(() =>
      session.undos.perform({
        sandbox: session.sandbox,
        text: id === undefined ? "All faults disarmed" : `Fault ${id} disarmed`,
        work: () => transport.call("DELETE", id === undefined ? "/faults" : `/faults/${id}`),
        // The rules that Undo brings back have other ids.
        again: () => armInstead(transport, id === undefined ? [] : faults.filter((rule) => rule.id !== id)),
        undo: () => armInstead(transport, faults),
      }),
    );
  return (
    <div class="panel-scroll">
      <ArmFault />
      <ErrorText text={action.error} />
      {faults.length === 0 ? (
        <Empty
          title="No faults"
          command={controlCurl(session, "/faults", {
            on: "request",
            match: { path: "/api/send-message-to-customer-thread" },
            times: 2,
            then: "unavailable",
          })}
        >
          Nothing goes wrong at the moment. A rule can be more specific than a preset, such as which calls and
          how often:
        </Empty>
      ) : (
        <>
          <div class="row spread pad">
            <h3>{armed.length === 0 ? "No fault is armed" : "Armed"}</h3>
            <button type="button" class="small" onClick={() => disarm()}>
              Disarm all
            </button>
          </div>
          <ul class="cards" aria-label="Armed faults">
            <Bounded items={faults}>
              {(rule) => (
                <li key={rule.id} class="card fault">
                  <div class="row spread">
                    <strong>{ruleName(rule)}</strong>
                    {armed.includes(rule) ? null : <Pill tone="quiet">used up</Pill>}
                    <span class="counter" role="status">
                      fired <b>{rule.fired}</b>
                      {rule.times === undefined ? "" : ` of ${rule.times}`} · seen <b>{rule.seen}</b>
                    </span>
                  </div>
                  <p class="muted">on {ruleScope(rule)}</p>
                  <div class="row">
                    <CopyButton
                      text={`- fault: ${JSON.stringify({ ...rule, then: rule.preset ?? rule.then, id: undefined, seen: undefined, fired: undefined, preset: undefined })}`}
                      label="Copy scenario step"
                    />
                    <button type="button" class="ghost small" onClick={() => disarm(rule.id)}>
                      Disarm {rule.id}
                    </button>
                  </div>
                </li>
              )}
            </Bounded>
          </ul>
        </>
      )}
    </div>
  );
}

import { useAction } from "../lib/action";
import { useSession } from "../lib/context";
import { controlCurl } from "../lib/curl";
import type { FaultRule } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Empty, Trouble } from "../parts/empty";
import { ArmFault } from "./arm-fault";
import { conditionsOf, nameOfRule } from "./fault-words";

/** What is to go wrong: presets to arm, and what is armed with its counters. */
export function FaultsPanel() {
  const session = useSession("faults");
  const action = useAction();
  const { faults, api } = session;
  const reload = async () => session.setFaults(await api.get<FaultRule[]>("/faults"));
  const disarm = (id?: string) =>
    action.run(async () => {
      await api.call("DELETE", id === undefined ? "/faults" : `/faults/${id}`);
      await reload();
    });
  return (
    <div class="panel-scroll">
      <ArmFault onArmed={reload} />
      <Trouble text={action.trouble} />
      {faults.length === 0 ? (
        <Empty
          title="Nothing is armed"
          command={controlCurl("POST", api.base, "/faults", api.access.token !== null, {
            on: "request",
            match: { path: "/api/send-message-to-customer-thread" },
            times: 2,
            then: "unavailable",
          })}
        >
          Everything goes as it should. A rule can say more than a preset, such as for which calls and how
          often:
        </Empty>
      ) : (
        <>
          <div class="row spread pad">
            <h3>Armed</h3>
            <button type="button" class="small" onClick={() => disarm()}>
              Disarm all
            </button>
          </div>
          <ul class="cards" aria-label="Armed faults">
            {faults.map((rule) => (
              <li key={rule.id} class="card fault">
                <div class="row spread">
                  <strong>{nameOfRule(rule)}</strong>
                  <span class="counter" role="status">
                    fired <b>{rule.fired}</b>
                    {rule.times === undefined ? "" : ` of ${rule.times}`} · seen <b>{rule.seen}</b>
                  </span>
                </div>
                <p class="muted">
                  on each {rule.on}, {conditionsOf(rule)}
                </p>
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
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

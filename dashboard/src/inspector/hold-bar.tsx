import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { plural } from "../lib/format";
import { isHeldBack } from "../model/outcome";
import type { DeliveryRecord } from "../model/types";

/** Sends one held delivery. */
export function ReleaseButton({ delivery }: { delivery: DeliveryRecord }) {
  const { session } = useApp();
  const action = useNotifiedAction();
  const release = () =>
    action.run(() => session.transport.call("POST", `/deliveries/${delivery.id}/release`));
  return (
    <button type="button" class="small" onClick={release} disabled={action.busy}>
      Release
    </button>
  );
}

/** Holds all deliveries back, lets them go one after the other, and all the rest. */
export function HoldBar() {
  const { session } = useApp();
  const action = useNotifiedAction();
  const { transport } = session;
  const rule = session.faults.value.find(
    ({ then, match, times }) => then.hold === true && match === undefined && times === undefined,
  );
  const held = session.deliveries.entries.filter(isHeldBack);
  const hold = () =>
    action.run(() => transport.call("POST", "/faults", { body: { on: "delivery", then: { hold: true } } }));
  const stop = () => action.run(() => transport.call("DELETE", `/faults/${rule?.id}`));
  const release = () => action.run(() => transport.call("POST", `/deliveries/${held[0]?.id}/release`));
  return (
    <div class="row hold-bar">
      {rule === undefined ? (
        <button type="button" class="small" onClick={hold} disabled={action.busy}>
          Hold deliveries
        </button>
      ) : (
        <>
          <span role="status">{plural(held.length, "delivery", "deliveries")} held</span>
          <button type="button" class="small" onClick={release} disabled={action.busy || held.length === 0}>
            Release next
          </button>
          <button type="button" class="small" onClick={stop} disabled={action.busy}>
            Stop holding
          </button>
        </>
      )}
    </div>
  );
}

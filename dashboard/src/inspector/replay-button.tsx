import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { DeliveryRecord } from "../model/types";
import { Icon } from "../parts/icon";

/** Sends the same body again as a new delivery, and opens that. */
export function ReplayButton({ delivery }: { delivery: DeliveryRecord }) {
  const { session, notify, navigate } = useApp();
  const action = useNotifiedAction();
  const replay = () =>
    action.run(async () => {
      const again = await session.transport.call<DeliveryRecord>("POST", `/deliveries/${delivery.id}/replay`);
      notify(`Sent again as ${again.id}`);
      navigate({ tab: "deliveries", item: again.id });
    });
  return (
    <button type="button" class="small" onClick={replay} disabled={action.busy}>
      <Icon name="replay" />
      Replay
    </button>
  );
}

import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { DeliveryRecord } from "../model/types";
import { Button } from "../parts/button";

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
    <Button icon="replay" class="small" onClick={replay} disabled={action.busy}>
      Replay
    </Button>
  );
}

import { useEffect } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { Delivery } from "../model/types";
import { Icon } from "../parts/icon";

/** Sends the same body again, as a delivery of its own, and opens that. */
export function ReplayButton({ delivery }: { delivery: Delivery }) {
  const { session, say, go } = useApp();
  const action = useAction();
  useEffect(() => {
    if (action.trouble !== "") say(action.trouble, "bad");
  }, [action.trouble, say]);
  const replay = () =>
    action.run(async () => {
      const again = await session.api.post<Delivery>(`/deliveries/${delivery.id}/replay`);
      say(`Sent again as ${again.id}`);
      go({ tab: "deliveries", item: again.id });
    });
  return (
    <button type="button" class="small" onClick={replay} disabled={action.busy}>
      <Icon name="replay" />
      Replay
    </button>
  );
}

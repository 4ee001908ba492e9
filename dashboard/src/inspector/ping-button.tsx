import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";

interface Ping {
  readonly ok: boolean;
  readonly message: string;
}

/** Tries the receiver once and says in words what stands in the way. */
export function PingButton({ hookId }: { hookId: string }) {
  const { session } = useApp();
  const action = useAction();
  const [ping, setPing] = useState<Ping | null>(null);
  const words = action.trouble || ping?.message;
  return (
    <>
      <button
        type="button"
        class="ghost small"
        disabled={action.busy}
        onClick={() =>
          action.run(async () =>
            setPing(await session.api.post<Ping>(`/webhooks/${encodeURIComponent(hookId)}/ping`)),
          )
        }
      >
        Ping the receiver
      </button>
      {words === undefined || words === "" ? null : (
        <p class={ping?.ok ? "why" : "trouble"} role="status">
          {words}
        </p>
      )}
    </>
  );
}

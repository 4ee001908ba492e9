import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { PingReport } from "../model/types";
import { Button } from "../parts/button";

/** Sends the receiver one test request and says what came of it. */
export function PingButton({ hookId, label = "Ping the receiver" }: { hookId: string; label?: string }) {
  const { session } = useApp();
  const action = useAction();
  const [ping, setPing] = useState<PingReport | null>(null);
  const result = action.error || ping?.message;
  return (
    <>
      <Button
        class="ghost small"
        disabled={action.busy}
        onClick={() =>
          action.run(async () =>
            setPing(await session.transport.call("POST", `/webhooks/${encodeURIComponent(hookId)}/ping`)),
          )
        }
      >
        {label}
      </Button>
      {result === undefined || result === "" ? null : (
        <p class={ping?.ok ? "why" : "error"} role="status">
          {result}
        </p>
      )}
    </>
  );
}

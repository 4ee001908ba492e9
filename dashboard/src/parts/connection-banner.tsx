import { useEffect, useState } from "preact/hooks";
import { useApp, useSession } from "../lib/context";
import { longMs } from "../lib/format";
import { serverName } from "../model/sync";
import { Icon } from "./icon";

/** Says that the page is cut off, and what it does about it. */
export function ConnectionBanner() {
  const session = useSession("connection");
  const { sync, go } = useApp();
  const [, tick] = useState(0);
  const cut = session.connection !== "live" && session.connection !== "connecting";
  useEffect(() => {
    if (!cut) return;
    const timer = setInterval(() => tick((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, [cut]);
  if (!cut) return null;
  const left = session.retryAt - performance.now();
  return (
    <div class="banner" role="alert">
      <Icon name="warn" />
      {session.connection === "gone" ? (
        <span>
          There is no sandbox <strong>{session.api.sandbox}</strong> on this server (any more).
        </span>
      ) : session.connection === "failed" ? (
        <span>The simulator refused: {session.trouble}</span>
      ) : (
        <span>
          The simulator at <strong>{serverName()}</strong> does not answer. What you see is how things stood;
          writing has to wait.
        </span>
      )}
      <span class="muted" aria-hidden="true">
        {left > 300 ? `Next try in ${longMs(left)}` : "Trying…"}
      </span>
      {session.connection === "gone" && session.api.sandbox !== "default" ? (
        <button
          type="button"
          class="small"
          onClick={() => go({ sandbox: "default", thread: null, item: null })}
        >
          Go to default
        </button>
      ) : null}
      <button type="button" class="small" onClick={() => sync.retry()}>
        Try now
      </button>
    </div>
  );
}

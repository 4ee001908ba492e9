import { useEffect, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { longMs } from "../lib/format";
import { CONTROL } from "../lib/transport";
import { Icon } from "./icon";

const SERVER = `${location.host}${CONTROL === "/__sim" ? "" : CONTROL}`;

/** Says that the page is not connected, and when it tries again. */
export function ConnectionBanner() {
  const { session, sync, navigate } = useApp();
  const [, tick] = useState(0);
  const connection = session.connection.value;
  const cut = "error" in connection;
  useEffect(() => {
    if (!cut) return;
    const timer = setInterval(() => tick((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, [cut]);
  if (!cut) return null;
  const left = connection.retryAt - performance.now();
  return (
    <div class="banner" role="alert">
      <Icon name="warn" />
      {connection.state === "gone" ? (
        <span>
          There is no sandbox <strong>{session.sandbox}</strong> on this server (any more).
        </span>
      ) : connection.state === "failed" ? (
        <span>The simulator refused: {connection.error}</span>
      ) : (
        <span>
          The simulator at <strong>{SERVER}</strong> does not answer. What you see is how things stood;
          writing has to wait.
        </span>
      )}
      <span class="muted" aria-hidden="true">
        {left > 300 ? `Next try in ${longMs(left)}` : "Trying…"}
      </span>
      {connection.state === "gone" && session.sandbox !== "default" ? (
        <button
          type="button"
          class="small"
          onClick={() => navigate({ sandbox: "default", thread: null, item: null })}
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

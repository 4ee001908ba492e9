import { CONTROL } from "../lib/address";
import { useApp } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import { Icon } from "./icon";

const SERVER = `${location.host}${CONTROL === "/__sim" ? "" : CONTROL}`;

/** Says that the page is not connected, and when it tries again. */
export function ConnectionBanner() {
  const { session, sync, navigate } = useApp();
  const connection = session.connection.value;
  const disconnected = "error" in connection;
  useTick(disconnected, 500);
  if (!disconnected) return null;
  const left = connection.retryAt - performance.now();
  return (
    <div class="banner" role="alert">
      <Icon name="warn" />
      {connection.state === "gone" ? (
        <span>{connection.error}</span>
      ) : connection.state === "failed" ? (
        <span>The simulator refused: {connection.error}</span>
      ) : (
        <span>
          The simulator at <strong>{SERVER}</strong> does not respond. This page may be out of date.
        </span>
      )}
      <span class="muted" aria-hidden="true">
        {left > 300 ? `Next attempt in ${longMs(left)}` : "Trying…"}
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
        Retry now
      </button>
    </div>
  );
}

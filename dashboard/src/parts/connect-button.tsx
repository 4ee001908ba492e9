import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import { Button } from "./button";

/** What brings a system under test in touch with the simulator. */
export const ConnectPanel = lazy("the connection panel", () => import("../connect/connect-panel"));
const ConnectDialog = lazy("the connection panel", async () => ({
  default: (await import("../connect/connect-panel")).ConnectDialog,
}));

export function ConnectButton() {
  const { session } = useApp();
  const { connecting } = session;
  return (
    <>
      <Button
        icon="hook"
        class="primary"
        disabled={!session.loaded.value}
        onClick={() => {
          connecting.value = true;
        }}
      >
        Connect your bot
      </Button>
      {connecting.value ? (
        <ConnectDialog
          onClose={() => {
            connecting.value = false;
          }}
        />
      ) : null}
    </>
  );
}

const CLOSED = "messaging-sim.first-run-closed";

/** Shown where nothing had called when the page was opened, and nothing outside was told of an event; until it is closed. */
export function FirstRun() {
  const { session } = useApp();
  const [closed, setClosed] = useState(() => localStorage.getItem(CLOSED) !== null);
  const isDue = session.connection.value.state === "live" && session.firsts.none;
  const [shown, setShown] = useState(false);
  if (isDue && !shown && !closed) setShown(true);
  // The same panel stands in the dialog while that is open.
  if (closed || !shown || session.connecting.value) return null;
  const close = () => {
    localStorage.setItem(CLOSED, "");
    setClosed(true);
  };
  return (
    <section class="first-run" aria-labelledby="first-run">
      <div class="row spread">
        <h2 id="first-run">Connect your bot</h2>
        <Button icon="cross" class="ghost icon-only" label="Close" onClick={close} />
      </div>
      <ConnectPanel />
    </section>
  );
}

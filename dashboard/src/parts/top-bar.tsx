import { useState } from "preact/hooks";
import { useNotifiedAction } from "../lib/action";
import { FOLDED, useApp, useSwitch } from "../lib/context";
import { download } from "../lib/files";
import { isoTime, plural } from "../lib/format";
import { Clock } from "./clock";
import { ConnectButton } from "./connect-button";
import { DialogButton } from "./dialog-button";
import { ClockDialog, SearchDialog, ShortcutsDialog, SnapshotsDialog } from "./dialogs";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { SandboxPicker } from "./sandbox-picker";
import { PageUndoBar, ShowUndo } from "./undo-bar";

const CONNECTION_LABELS = {
  connecting: "Connecting",
  live: "Live",
  lost: "Reconnecting",
  gone: "No such sandbox",
  failed: "Refused",
} as const;

export const TopBar = ({ onPresent }: { onPresent: () => void }) => (
  <header class="top-place">
    <div class="top">
      <h1>
        <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M6 4h20a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H14l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z" />
          <path class="pulse" d="M9 14h3l3-5 4 9 2-4h3" />
        </svg>
        <span class="if-widest">messaging-sim</span>
      </h1>
      <SandboxPicker />
      <Clock />
      <div class="top-end">
        <ConnectButton />
        <DialogButton
          class="ghost icon-only search-all"
          label="Search"
          dialog={(onClose) => <SearchDialog onClose={onClose} />}
        >
          <Icon name="search" />
        </DialogButton>
        <Tools onPresent={onPresent} />
        <ShowUndo />
        <FaultBadge />
        <ConnectionState />
      </div>
      <PageUndoBar />
    </div>
  </header>
);

const DIALOGS = {
  "Clock options": ClockDialog,
  "Snapshots and state": SnapshotsDialog,
  "Keyboard shortcuts": ShortcutsDialog,
} as const;

/** What is needed now and then. The dialogs stand beside the menu, which hides what is in it. */
function Tools({ onPresent }: { onPresent: () => void }) {
  const isLive = useApp().session.connection.value.state === "live";
  const [isFolded, fold] = useSwitch(FOLDED);
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const Opened = open && DIALOGS[open];
  return (
    <>
      <Menu label="Tools" named>
        {(close) => (
          <>
            {(Object.keys(DIALOGS) as (keyof typeof DIALOGS)[]).map((name) => (
              <button key={name} type="button" onClick={() => setOpen(name)}>
                {name}
              </button>
            ))}
            <BundleButton onPress={close} />
            <button
              type="button"
              class="if-wide-screen"
              title="Plays a minute of a conversation in a sandbox of its own"
              aria-disabled={!isLive}
              onClick={() => {
                close();
                if (isLive) onPresent();
              }}
            >
              Present
            </button>
            <button
              type="button"
              class="if-wide-screen"
              aria-pressed={!isFolded}
              onClick={() => {
                close();
                fold(!isFolded);
              }}
            >
              Show what happened
            </button>
          </>
        )}
      </Menu>
      {Opened ? <Opened onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function ConnectionState() {
  const { state } = useApp().session.connection.value;
  return (
    <output class={`connection ${state}`} aria-label="Connection">
      <span class="dot" aria-hidden="true" />
      <span class={state === "live" ? "if-wide" : ""}>{CONNECTION_LABELS[state]}</span>
    </output>
  );
}

/** Shown on every tab while a fault is armed. */
function FaultBadge() {
  const { session, navigate } = useApp();
  const faults = session.armed.value;
  if (faults.length === 0) return null;
  const fired = faults.reduce((sum, rule) => sum + rule.fired, 0);
  const [count, ...words] = plural(faults.length, "fault").split(" ");
  return (
    <button
      type="button"
      class="fault-badge"
      title="Show faults"
      onClick={() => navigate({ tab: "faults", item: null })}
    >
      <Icon name="bolt" />
      {count}
      <span class="if-widest">
        {words.join(" ")} armed · fired {fired.toLocaleString("en")}
      </span>
    </button>
  );
}

/** Saves all of the sandbox as one file, which `messaging-sim serve --bundle` opens. */
function BundleButton({ onPress }: { onPress: () => void }) {
  const { session, notify } = useApp();
  const action = useNotifiedAction();
  const save = () => {
    onPress();
    return action.run(async () => {
      const response = await session.transport.send("GET", "/bundle");
      const at = isoTime(session.clock.now()).slice(0, 19).replaceAll(":", "-");
      download(`messaging-sim-${session.sandbox}-${at}.json`, await response.text());
      notify("Saved with masked secrets. Open it with messaging-sim serve --bundle");
    });
  };
  return (
    <button
      type="button"
      title="Save this sandbox in one file, with masked secrets"
      onClick={save}
      disabled={action.busy || !session.loaded.value}
    >
      Save as bundle
    </button>
  );
}

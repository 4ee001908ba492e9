import { useState } from "preact/hooks";
import { submitting, useNotifiedAction } from "../lib/action";
import { FOLDED, useApp, useSwitch } from "../lib/context";
import { dayOf, isoTime, plural, timeOfDay } from "../lib/format";
import { useTick } from "../lib/tick";
import { advanceBy } from "../model/clock-moves";
import { withUndo } from "../model/moment";
import { RESTORED } from "../model/undo";
import { Button } from "./button";
import { ConfirmedSelect } from "./confirmed-select";
import { ConnectButton } from "./connect-button";
import { DialogButton } from "./dialog-button";
import {
  ClockDialog,
  HistoryDialog,
  SandboxDialog,
  SearchDialog,
  ShortcutsDialog,
  SnapshotsDialog,
} from "./dialogs";
import { Menu } from "./menu";
import { Options } from "./options";
import { ShowUndo, UndoBar } from "./undo-bar";

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
          icon="search"
          class="ghost icon-only search-all"
          label="Search"
          dialog={(onClose) => <SearchDialog onClose={onClose} />}
        />
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
              <Button key={name} onClick={() => setOpen(name)}>
                {name}
              </Button>
            ))}
            <Button
              class="if-wide-screen"
              title="Plays a one-minute demo conversation in a separate sandbox"
              aria-disabled={!isLive}
              onClick={() => {
                close();
                if (isLive) onPresent();
              }}
            >
              Present
            </Button>
            <Button
              class="if-wide-screen"
              aria-pressed={!isFolded}
              onClick={() => {
                close();
                fold(!isFolded);
              }}
            >
              Show what happened
            </Button>
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
    <Button
      icon="bolt"
      class="fault-badge"
      title="Show faults"
      onClick={() => navigate({ tab: "faults", item: null })}
    >
      {count}
      <span class="if-widest">
        {words.join(" ")} armed · fired {fired.toLocaleString("en")}
      </span>
    </Button>
  );
}

/** The bar of the page, while no dialog keeps it out of reach, and the history that it opens. */
const PageUndoBar = () => {
  const { undos } = useApp().session;
  const [showsHistory, setShowsHistory] = useState(false);
  const closeHistory = () => {
    setShowsHistory(false);
    // The bar is made anew, and its button with it.
    setTimeout(() => document.querySelector<HTMLElement>(".history-button")?.focus());
  };
  return (
    <>
      {undos.dialogs.value > 0 ? null : (
        <UndoBar done={undos.newest} undone={undos.undone} onHistory={() => setShowsHistory(true)} />
      )}
      {showsHistory ? <HistoryDialog onClose={closeHistory} /> : null}
    </>
  );
};

/** How far an empty field advances: past the messaging window. */
const DEFAULT_STEP = "25h";

/** The sandbox's time, with the controls that freeze and advance it. */
function Clock() {
  const { session } = useApp();
  const { clock, transport } = session;
  const [by, setBy] = useState("");
  const action = useNotifiedAction();
  useTick(!clock.frozen);
  if (!session.loaded.value) return <div class="clock" />;
  const now = clock.now();

  const advance = () => {
    const text = by.trim() || DEFAULT_STEP;
    return action.run(() => advanceBy(session, /^\d+$/.test(text) ? Number(text) : text));
  };
  const toggle = () =>
    action.run(async () => {
      const before = { now: clock.now(), frozen: clock.frozen };
      const put = async (body: object) => clock.set(await transport.call("PUT", "/clock", { body }));
      await session.undos.perform({
        sandbox: session.sandbox,
        text: before.frozen ? "The clock is running" : "The clock is frozen",
        work: () => put({ frozen: !before.frozen }),
        undo: () => put(before.frozen ? before : { frozen: false }),
      });
    });

  return (
    <div class="clock">
      <time
        class="clock-time"
        role="timer"
        dateTime={isoTime(now)}
        aria-label="Sandbox clock"
        title="Sandbox time, UTC"
      >
        <span class="muted">{dayOf(now)}</span> {timeOfDay(now)} <span class="muted if-wide">UTC</span>
      </time>
      <Button
        icon={clock.frozen ? "play" : "lock"}
        class="ghost small"
        onClick={toggle}
        title={clock.frozen ? "Let the clock run" : "Freeze the clock"}
      >
        {clock.frozen ? "Let run" : "Freeze"}
      </Button>
      <form class="joined" onSubmit={submitting(advance)}>
        <input
          aria-label="Advance by"
          placeholder={DEFAULT_STEP}
          size={6}
          autocomplete="off"
          value={by}
          onInput={(event) => setBy(event.currentTarget.value)}
        />
        <button type="submit" disabled={action.busy}>
          {action.busy ? "Advancing…" : "Advance"}
        </button>
      </form>
    </div>
  );
}

/** Chooses the sandbox that is shown, makes another one, and deletes or resets this one. */
function SandboxPicker() {
  const { session, route, navigate } = useApp();
  const action = useNotifiedAction();
  const ids = [...session.sandboxes.value];
  if (!ids.includes(route.sandbox)) ids.unshift(route.sandbox);
  const choose = (sandbox: string) => navigate({ sandbox, thread: null, item: null });

  const remove = async () => {
    const removal = async () => (await import("../model/sandbox-removal")).removeSandbox(session);
    if (await action.run(removal)) choose("default");
  };
  const reset = () =>
    action.run(() =>
      withUndo(
        session,
        "reset",
        async (snapshot) => {
          await session.transport.call("POST", "/reset", { query: { snapshot } });
          return `Sandbox ${route.sandbox} reset`;
        },
        RESTORED,
      ),
    );

  return (
    <div class="sandbox">
      <ConfirmedSelect label="Sandbox" value={route.sandbox} confirm="Open sandbox" onConfirm={choose}>
        <Options choices={ids.map((id) => ({ id, name: id }))} chosen={route.sandbox} />
      </ConfirmedSelect>
      <DialogButton label="New sandbox" dialog={(onClose) => <SandboxDialog onClose={onClose} />}>
        New
      </DialogButton>
      {route.sandbox === "default" ? null : (
        <Button label={`Delete sandbox ${route.sandbox}`} onClick={remove} disabled={action.busy}>
          Delete
        </Button>
      )}
      <Button
        title="Resets messages, clock, faults and logs of this sandbox"
        onClick={reset}
        disabled={action.busy}
      >
        Reset
      </Button>
    </div>
  );
}

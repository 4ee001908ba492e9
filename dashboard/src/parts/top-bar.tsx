import { useId, useState } from "preact/hooks";
import { milliseconds } from "../../../src/kernel/durations.js";
import { submitting, useAction, useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { fieldMessage } from "../lib/control";
import { dayOf, isoTime, plural, timeOfDay } from "../lib/format";
import { useTick } from "../lib/tick";
import { resetSandbox } from "../model/bot";
import { advanceBy } from "../model/clock-moves";
import { removeSandbox, withUndo } from "../model/undo";
import { Button } from "./button";
import { ConfirmedSelect } from "./confirmed-select";
import { ConnectButton } from "./connect-button";
import { DialogButton } from "./dialog-button";
import { ClockPanel, SandboxDialog, ShortcutsDialog, SnapshotsDialog } from "./dialogs";
import { ErrorText } from "./empty";
import { Menu } from "./menu";
import { Options } from "./options";

const CONNECTION_LABELS = {
  connecting: "Connecting",
  live: "Live",
  lost: "Reconnecting",
  gone: "No such sandbox",
  failed: "Refused",
} as const;

export const TopBar = () => (
  <header class="top-place">
    <div class="top">
      <h1>
        <svg class="logo" viewBox="0 0 32 32" role="img" aria-label="messaging-sim">
          <path d="M6 4h20a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H14l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z" />
          <path class="pulse" d="M9 14h3l3-5 4 9 2-4h3" />
        </svg>
        <span aria-hidden="true">messaging-sim</span>
      </h1>
      <SandboxPicker />
      <Clock />
      <div class="top-end">
        <ConnectButton />
        <Tools />
        <FaultBadge />
        <ConnectionState />
      </div>
    </div>
  </header>
);

const DIALOGS = {
  "Snapshots and state": SnapshotsDialog,
  "Keyboard shortcuts": ShortcutsDialog,
} as const;

/** What is needed now and then. The dialogs stand beside the menu, which hides what is in it. */
function Tools() {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const Opened = open && DIALOGS[open];
  return (
    <>
      <Menu label="Tools">
        {(Object.keys(DIALOGS) as (keyof typeof DIALOGS)[]).map((name) => (
          <Button key={name} onClick={() => setOpen(name)}>
            {name}
          </Button>
        ))}
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
  return (
    <Button
      icon="bolt"
      class="fault-badge"
      label={`${plural(faults.length, "fault")} armed · fired ${fired.toLocaleString("en")}`}
      onClick={() => navigate({ tab: "faults", item: null })}
    >
      {faults.length}
    </Button>
  );
}

/** How far an empty field advances: past the messaging window. */
const DEFAULT_STEP = "25h";
const DURATIONS = "Enter a duration with its unit, such as 90s, 15m, 24h or 7d.";

/** The sandbox's time, what else moves it, and a field that advances it. */
function Clock() {
  const { session } = useApp();
  const { clock } = session;
  const [by, setBy] = useState("");
  const action = useAction(fieldMessage);
  const note = useId();
  useTick(!clock.frozen);
  const now = clock.now();
  const advance = () => {
    const text = by.trim() || DEFAULT_STEP;
    return action.run(() => {
      if (Number.isNaN(milliseconds(text))) throw new Error(DURATIONS);
      return advanceBy(session, text);
    });
  };
  return (
    <div class="clock">
      <time
        class="clock-time"
        role="timer"
        dateTime={isoTime(now)}
        aria-label="Sandbox clock"
        title={`Sandbox time, UTC, ${clock.frozen ? "frozen" : "running"}`}
      >
        <span class="muted">{dayOf(now)}</span> {timeOfDay(now)} <span class="muted if-wide">UTC</span>
      </time>
      <Menu label="Clock" icon={clock.frozen ? "lock" : "clock"} wide>
        <ClockPanel />
      </Menu>
      <form class="joined" onSubmit={submitting(advance)}>
        <input
          aria-label="Advance by"
          aria-invalid={action.error !== ""}
          aria-describedby={note}
          placeholder={DEFAULT_STEP}
          size={6}
          autocomplete="off"
          value={by}
          onInput={(event) => {
            setBy(event.currentTarget.value);
            action.clear();
          }}
        />
        <button type="submit" disabled={action.busy}>
          {action.busy ? "Advancing…" : "Advance"}
        </button>
        {action.error === "" ? null : (
          <div class="field-note" id={note}>
            <ErrorText text={action.error} />
          </div>
        )}
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
    if (await action.run(() => removeSandbox(session))) choose("default");
  };
  const reset = () => action.run(() => withUndo(session, "reset", () => resetSandbox(session)));

  const isThere = session.loaded.value;
  return (
    <div class="sandbox">
      <ConfirmedSelect label="Sandbox" value={route.sandbox} confirm="Open sandbox" onConfirm={choose}>
        <Options choices={ids.map((id) => ({ id, name: id }))} chosen={route.sandbox} />
      </ConfirmedSelect>
      <DialogButton icon="plus" label="New sandbox" dialog={(onClose) => <SandboxDialog onClose={onClose} />}>
        <span class="if-wide">New sandbox</span>
      </DialogButton>
      {route.sandbox === "default" || !isThere ? null : (
        <Button
          icon="cross"
          label={`Delete sandbox ${route.sandbox}`}
          onClick={remove}
          disabled={action.busy}
        >
          <span class="if-wide">Delete</span>
        </Button>
      )}
      <Button
        title="Resets messages, clock, faults and logs of this sandbox"
        onClick={reset}
        disabled={action.busy || !isThere}
      >
        Reset
      </Button>
      <UndoButtons />
    </div>
  );
}

/** Undoes what was done last that throws state away, and does again what was undone. */
function UndoButtons() {
  const { session, route, navigate } = useApp();
  const { undos } = session;
  const { done, undone } = undos;
  const action = useNotifiedAction();
  const go = (move: () => Promise<string | undefined>) =>
    action.run(async () => {
      const sandbox = await move();
      if (sandbox !== undefined && sandbox !== route.sandbox) navigate({ sandbox, thread: null, item: null });
    });
  return (
    <>
      <Button
        icon="undo"
        class="ghost icon-only undo"
        aria-label="Undo"
        title={done === undefined ? "Nothing to undo" : `Undo: ${done}. Restores state and clock, not logs`}
        disabled={action.busy || done === undefined}
        onClick={() => go(() => undos.undo())}
      />
      <Button
        icon="redo"
        class="ghost icon-only redo"
        aria-label="Redo"
        title={undone === undefined ? "Nothing to redo" : `Redo: ${undone}. Restores what Undo removed`}
        disabled={action.busy || undone === undefined}
        onClick={() => go(() => undos.redo())}
      />
    </>
  );
}

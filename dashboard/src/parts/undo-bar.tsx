import { useRef } from "preact/hooks";
import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { Undoable } from "../model/undo";
import { Button } from "./button";

/** Opens the bar again that somebody has closed. */
export function ShowUndo() {
  const { closed, newest, undone } = useApp().session.undos;
  if (!closed.value || (newest === undefined && undone === undefined)) return null;
  const show = () => {
    closed.value = false;
  };
  return <Button icon="replay" class="ghost icon-only undo redo" label="Show undo" onClick={show} />;
}

/** The bar of a dialog: for what was done and undone in it. */
export function DialogUndoBar() {
  const { newest, undone } = useApp().session.undos;
  const before = useRef({ newest, undone });
  return (
    <UndoBar
      done={newest === before.current.newest ? undefined : newest}
      undone={undone === before.current.undone ? undefined : undone}
    />
  );
}

interface Props {
  readonly done: Undoable | undefined;
  readonly undone: Undoable | undefined;
  /** Opens the list of what was done; left out in a dialog. */
  readonly onHistory?: () => void;
}

/** Says what was done last that threw something away, undoes it, and does again what was undone. */
export function UndoBar({ done, undone, onHistory }: Props) {
  const { session, route, navigate, notify } = useApp();
  const { undos } = session;
  const action = useNotifiedAction();
  if (undos.closed.value || (done === undefined && undone === undefined))
    return <div class="undo-bar" role="status" />;
  const goTo = ({ sandbox }: Undoable) => {
    if (sandbox !== route.sandbox) navigate({ sandbox, thread: null, item: null });
  };
  const undo = (one: Undoable) =>
    action.run(async () => {
      const gone = await undos.undo(one);
      notify(`Undone: ${one.text}${typeof gone === "string" ? `; ${gone}` : ""}`);
      goTo(one);
    });
  const redo = (one: Undoable) =>
    action.run(async () => {
      await undos.redo();
      goTo(one);
    });
  return (
    <div class="undo-bar on" role="status">
      <span class="grow">{done === undefined ? "Nothing to undo." : <Done done={done} />}</span>
      {done === undefined || done.undo === null ? null : (
        <Button class="small undo" disabled={action.busy} onClick={() => undo(done)}>
          Undo
        </Button>
      )}
      {undone === undefined ? null : (
        <Button class="small redo" title={undone.text} disabled={action.busy} onClick={() => redo(undone)}>
          Redo
        </Button>
      )}
      {onHistory === undefined ? null : (
        <Button class="ghost small history-button" onClick={onHistory}>
          History
        </Button>
      )}
      <Button
        icon="cross"
        class="ghost icon-only"
        aria-label="Dismiss"
        title="Dismiss (undo stays available)"
        onClick={() => {
          undos.closed.value = true;
        }}
      />
    </div>
  );
}

/** What was done, where, and what does not come back. */
function Done({ done: { text, lost, sandbox, alsoGoes } }: { done: Undoable }) {
  const { session, route } = useApp();
  const also =
    sandbox === route.sandbox
      ? alsoGoes?.(session)
      : alsoGoes && "Undo also removes messages written since, and Redo restores them";
  return (
    <>
      {text}
      {sandbox === route.sandbox || text.includes(sandbox) ? "" : ` in sandbox ${sandbox}`}.
      {lost === undefined ? null : <span class="muted"> {lost}.</span>}
      {also === undefined || also === "" ? null : <b> {also}.</b>}
    </>
  );
}

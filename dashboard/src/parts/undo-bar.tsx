import { useRef } from "preact/hooks";
import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { Undoable } from "../model/undo";
import { Icon } from "./icon";

/** The bar of the page, while no dialog keeps it out of reach. */
export const PageUndoBar = () => {
  const { undos } = useApp().session;
  return undos.dialogs.value > 0 ? null : <UndoBar done={undos.newest} />;
};

/** The bar of a dialog: for what was done in it. */
export function DialogUndoBar() {
  const { undos } = useApp().session;
  const before = useRef(undos.newest);
  return <UndoBar done={undos.newest === before.current ? undefined : undos.newest} />;
}

/** Says what was done last that threw something away, and undoes it. */
function UndoBar({ done }: { done: Undoable | undefined }) {
  const { session, route, navigate, notify } = useApp();
  const { undos } = session;
  const action = useNotifiedAction();
  if (done === undefined) return <div class="undo-bar" role="status" />;
  const { text, lost, undo, sandbox } = done;
  const run = () =>
    action.run(async () => {
      await undo?.();
      undos.drop(done);
      notify(`Undone: ${text}`);
      if (sandbox !== route.sandbox) navigate({ sandbox, thread: null, item: null });
    });
  return (
    <div class="undo-bar on" role="status">
      <span class="grow">
        {text}
        {sandbox === route.sandbox || text.includes(sandbox) ? "" : ` in sandbox ${sandbox}`}.
        {lost === undefined ? null : <span class="muted"> {lost}.</span>}
      </span>
      {undo === null ? null : (
        <button type="button" class="small undo" disabled={action.busy} onClick={run}>
          Undo
        </button>
      )}
      <button
        type="button"
        class="ghost icon-only"
        aria-label="Dismiss"
        title="Dismiss"
        onClick={() => undos.clear()}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}

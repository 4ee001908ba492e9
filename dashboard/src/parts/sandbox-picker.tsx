import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { withUndo } from "../model/moment";
import { RESTORED } from "../model/undo";
import { ConfirmedSelect } from "./confirmed-select";
import { DialogButton } from "./dialog-button";
import { SandboxDialog } from "./dialogs";
import { Options } from "./options";

/** Chooses the sandbox that is shown, makes another one, and deletes or resets this one. */
export function SandboxPicker() {
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
        <button
          type="button"
          aria-label={`Delete sandbox ${route.sandbox}`}
          title={`Delete sandbox ${route.sandbox}`}
          onClick={remove}
          disabled={action.busy}
        >
          Delete
        </button>
      )}
      <button
        type="button"
        title="Resets messages, clock, faults and logs of this sandbox"
        onClick={reset}
        disabled={action.busy}
      >
        Reset
      </button>
    </div>
  );
}

import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { ConfirmedSelect } from "./confirmed-select";
import { DialogButton } from "./dialog-button";
import { SandboxDialog } from "./dialogs";
import { Icon } from "./icon";
import { Options } from "./options";

/** Chooses the sandbox that is shown, makes another one, and deletes or resets this one. */
export function SandboxPicker() {
  const { session, route, navigate, notify } = useApp();
  const action = useAction();
  const ids = [...session.sandboxes.value];
  if (!ids.includes(route.sandbox)) ids.unshift(route.sandbox);
  const choose = (sandbox: string) => navigate({ sandbox, thread: null, item: null });

  const remove = async () => {
    const path = `/sandboxes/${encodeURIComponent(route.sandbox)}`;
    const done = await action.run(() => session.server.call("DELETE", path));
    if (done) choose("default");
    notify(done ? `Sandbox ${route.sandbox} is deleted` : "The deletion was refused", done ? "good" : "bad");
  };
  const reset = async () => {
    const done = await action.run(() => session.transport.call("POST", "/reset"));
    notify(
      done ? `Sandbox ${route.sandbox} is back at its start` : "The reset was refused",
      done ? "good" : "bad",
    );
  };

  return (
    <div class="sandbox">
      <ConfirmedSelect label="Sandbox" value={route.sandbox} confirm="Open sandbox" onConfirm={choose}>
        <Options choices={ids.map((id) => ({ id, name: id }))} chosen={route.sandbox} />
      </ConfirmedSelect>
      <DialogButton class="ghost icon-only" label="New sandbox" dialog={SandboxDialog}>
        <Icon name="plus" />
      </DialogButton>
      {route.sandbox === "default" ? null : (
        <button
          type="button"
          class="ghost icon-only"
          aria-label={`Delete sandbox ${route.sandbox}`}
          title={`Delete sandbox ${route.sandbox}`}
          onClick={remove}
          disabled={action.busy}
        >
          <Icon name="bin" />
        </button>
      )}
      <button
        type="button"
        title="Back to the fixture: messages, clock, faults and logs of this sandbox"
        onClick={reset}
        disabled={action.busy}
      >
        Reset
      </button>
    </div>
  );
}

import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { SandboxInfo } from "../model/types";
import { ConfirmedSelect } from "./confirmed-select";
import { Icon } from "./icon";
import { Options } from "./options";

/** Chooses the sandbox that is shown, creates another one, and resets this one. */
export function SandboxPicker() {
  const { session, route, navigate, notify } = useApp();
  const action = useAction();
  const ids = [...session.sandboxes.value];
  if (!ids.includes(route.sandbox)) ids.unshift(route.sandbox);
  const choose = (sandbox: string) => navigate({ sandbox, thread: null, item: null });

  const make = () =>
    action.run(async () => {
      const { id } = await session.server.call<SandboxInfo>("POST", "/sandboxes", { body: {} });
      notify(`Sandbox ${id} is there`);
      choose(id);
    });
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
      <button
        type="button"
        class="ghost icon-only"
        aria-label="New sandbox"
        title="New sandbox"
        onClick={make}
      >
        <Icon name="plus" />
      </button>
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

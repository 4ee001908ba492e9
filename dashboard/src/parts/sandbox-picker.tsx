import { useAction } from "../lib/action";
import { CONTROL } from "../lib/api";
import { useApp, useSession } from "../lib/context";
import { Icon } from "./icon";

/** Chooses the world that is shown, makes another one, and takes this one back to its start. */
export function SandboxPicker() {
  const session = useSession("sandboxes", "connection");
  const { go, say, sync, place } = useApp();
  const action = useAction();
  const ids = session.sandboxes.map(({ id }) => id);
  if (!ids.includes(place.sandbox)) ids.unshift(place.sandbox);
  const choose = (sandbox: string) => go({ sandbox, thread: null, item: null });

  const make = () =>
    action.run(async () => {
      const response = await session.api.open("POST", `${CONTROL}/sandboxes`, {});
      const { id } = (await response.json()) as { id: string };
      say(`Sandbox ${id} is there`);
      choose(id);
    });
  const reset = async () => {
    const done = await action.run(() => session.api.post("/reset"));
    say(
      done ? `Sandbox ${place.sandbox} is back at its start` : "The reset was refused",
      done ? "good" : "bad",
    );
  };

  return (
    <div class="sandbox">
      <label class="inline-field">
        <span>Sandbox</span>
        <select
          value={place.sandbox}
          onFocus={() => void sync.refresh().catch(() => {})}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {ids.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
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

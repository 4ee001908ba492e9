import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";
import { Icon } from "./icon";

/** Saves all of the sandbox as one file, which `messaging-sim serve --bundle` opens. */
export function BundleButton() {
  const { session, notify } = useApp();
  const action = useNotifiedAction();
  const save = () =>
    action.run(async () => {
      const response = await session.transport.send("GET", "/bundle");
      const at = isoTime(session.clock.now()).slice(0, 19).replaceAll(":", "-");
      download(`messaging-sim-${session.sandbox}-${at}.json`, await response.text());
      notify("Saved with masked secrets. Open it with messaging-sim serve --bundle");
    });
  return (
    <button
      type="button"
      class="ghost icon-only"
      aria-label="Save as bundle"
      title="Save this sandbox in one file, with masked secrets"
      onClick={save}
      disabled={action.busy || !session.loaded.value}
    >
      <Icon name="down" />
    </button>
  );
}

import { useNotifiedAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";

/** Saves all of the sandbox as one file, which `messaging-sim serve --bundle` opens. */
export function BundleButton({ onPress }: { onPress: () => void }) {
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

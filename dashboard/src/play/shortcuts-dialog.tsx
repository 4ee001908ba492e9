import { useState } from "preact/hooks";
import { SHORTCUTS, shortcuts } from "../lib/shortcuts";
import { Dialog } from "../parts/dialog";

/** What keys do, and a switch for those that act without a modifier. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(shortcuts.on);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {SHORTCUTS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={({ currentTarget: { checked } }) => {
            shortcuts.on = checked;
            setOn(checked);
          }}
        />
        Single-key shortcuts work outside of text fields
      </label>
      <div class="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

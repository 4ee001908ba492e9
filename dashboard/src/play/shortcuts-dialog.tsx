import { TABS } from "../lib/route";
import { Dialog, DialogFoot } from "../parts/dialog";

/** What keys do, in the order of the sheet. */
const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ["?", "show keyboard shortcuts"],
  ["/", "search threads"],
  ["j and k", "next and previous thread"],
  ["c", "write as the customer"],
  ["e", "write as an employee"],
  [`1 to ${TABS.length}`, "tabs, from Requests to Scenarios"],
  ["Ctrl+Z", "undo"],
  ["Ctrl+Shift+Z", "redo"],
  ["Enter, Shift+Enter", "in a text field: send, new line"],
  ["Home, End", "in the conversation: first and newest message"],
  ["Arrow keys", "on a tab: next tab; on a select: choose, Enter confirms"],
  ["Escape", "close a dialog, return to the selection, leave the thread list"],
];

/** What keys do outside of text fields. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
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
      <DialogFoot onClose={onClose} />
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { lazy } from "../lib/lazy";
import { Icon } from "./icon";

const ConversationDialog = lazy<{ readonly onClose: () => void }>(
  "the form",
  async () => (await import("../world/conversation-dialog")).ConversationDialog,
);

/** Opens the form for a thread that is not there yet. */
export function NewConversation() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        New conversation
      </button>
      {open ? <ConversationDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp, useOpenItem } from "../lib/context";
import { pretty } from "../lib/format";
import type { DeliveryRecord } from "../model/types";
import { Dialog } from "../parts/dialog";
import { ErrorText } from "../parts/empty";

/** Sends a delivery's payload again with changes, as a new delivery, and opens that. */
export function ChangeReplay({ delivery }: { delivery: DeliveryRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Change and send
      </button>
      {isOpen ? <ReplayDialog delivery={delivery} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ReplayDialog({ delivery, onClose }: { delivery: DeliveryRecord; onClose: () => void }) {
  const { session, notify } = useApp();
  const openItem = useOpenItem();
  const action = useAction();
  const [text, setText] = useState(pretty(delivery.body));
  const send = () =>
    action.run(async () => {
      const body: unknown = JSON.parse(text);
      const path = `/deliveries/${delivery.id}/replay`;
      const { id } = await session.transport.call<DeliveryRecord>("POST", path, { body: { body } });
      notify(`Sent again as ${id}`);
      onClose();
      openItem(id);
    });
  return (
    <Dialog title="Change and send" onClose={onClose} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          class="mono tall"
          aria-label="Payload"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <ErrorText text={action.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.busy}>
            Send changed
          </button>
        </div>
      </form>
    </Dialog>
  );
}

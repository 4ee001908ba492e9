import { useState } from "preact/hooks";
import { useApp, useOpenItem } from "../lib/context";
import { pretty } from "../lib/format";
import type { DeliveryRecord } from "../model/types";
import { ActionForm } from "../parts/action-form";
import { Dialog } from "../parts/dialog";
import { DialogButton } from "../parts/dialog-button";

/** Sends a delivery's payload again with changes, as a new delivery, and opens that. */
export const ChangeReplay = ({ delivery }: { delivery: DeliveryRecord }) => (
  <DialogButton class="small" dialog={(onClose) => <ReplayDialog delivery={delivery} onClose={onClose} />}>
    Change and send
  </DialogButton>
);

function ReplayDialog({ delivery, onClose }: { delivery: DeliveryRecord; onClose: () => void }) {
  const { session, notify } = useApp();
  const openItem = useOpenItem();
  const [text, setText] = useState(pretty(delivery.body));
  const send = async () => {
    const body: unknown = JSON.parse(text);
    const path = `/deliveries/${delivery.id}/replay`;
    const { id } = await session.transport.call<DeliveryRecord>("POST", path, { body: { body } });
    notify(`Sent again as ${id}`);
    onClose();
    openItem(id);
  };
  return (
    <Dialog title="Change and send" onClose={onClose} wide>
      <ActionForm submit="Send changed" onSubmit={send} onClose={onClose}>
        <textarea
          class="mono tall"
          aria-label="Payload"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </ActionForm>
    </Dialog>
  );
}

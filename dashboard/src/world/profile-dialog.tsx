import { useApp } from "../lib/context";
import { Dialog } from "../parts/dialog";
import { RecordEditor } from "./record-editor";

/** A customer's profile. */
export default function ProfileDialog({ customerId, onClose }: { customerId: string; onClose: () => void }) {
  const customer = useApp().session.tables.customers.get(customerId);
  return (
    <Dialog title="Customer profile" onClose={onClose} wide>
      {customer === undefined ? (
        <p>This customer no longer exists.</p>
      ) : (
        <RecordEditor collection="customers" record={customer} onClose={onClose} />
      )}
    </Dialog>
  );
}

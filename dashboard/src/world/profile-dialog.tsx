import { useApp } from "../lib/context";
import { Dialog } from "../parts/dialog";
import { CUSTOMER_FIELDS } from "./record-fields";
import { RecordForm } from "./record-form";

/** A customer's profile. */
export default function ProfileDialog({ customerId, onClose }: { customerId: string; onClose: () => void }) {
  const customer = useApp().session.tables.customers.get(customerId);
  return (
    <Dialog title="Customer profile" onClose={onClose} wide>
      <p class="muted">Customer {customerId}</p>
      {customer === undefined ? (
        <p>This customer no longer exists.</p>
      ) : (
        <RecordForm collection="customers" record={customer} fields={CUSTOMER_FIELDS} onClose={onClose} />
      )}
    </Dialog>
  );
}

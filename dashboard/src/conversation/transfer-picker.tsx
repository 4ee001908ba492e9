import { useId } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { Thread } from "../model/types";
import { ConfirmedSelect } from "../parts/confirmed-select";
import { Options } from "../parts/options";

/** Transfers the thread to another business of its organization. */
export function TransferPicker({ thread }: { thread: Thread }) {
  const { session, notify } = useApp();
  const { tables, transport } = session;
  const action = useAction();
  const note = useId();
  const businesses = tables.otherBusinesses(thread);
  const staffed = new Set([...tables.users.records.values()].flatMap((user) => user.businessIds));
  const why = businesses.length === 0 ? "The organization has no other business." : action.error;
  const transfer = async (businessId: string) => {
    const business = tables.businesses.get(businessId);
    if (business === undefined) return;
    const done = await action.run(() =>
      transport.call("POST", `/threads/${thread.id}/transfer`, { body: { businessId: business.id } }),
    );
    if (done) notify(`Transferred to ${business.name}`);
  };
  return (
    <div class="control">
      <div class="row">
        <ConfirmedSelect
          label="Transfer to"
          value=""
          confirm="Transfer"
          aria-disabled={businesses.length === 0 || action.busy}
          aria-describedby={why === "" ? undefined : note}
          onConfirm={transfer}
        >
          <option value="">Transfer to…</option>
          <Options
            choices={businesses.map(({ id, name }) => ({
              id,
              name: staffed.has(id) ? name : `${name} (no employees)`,
              disabled: !staffed.has(id),
            }))}
            chosen=""
          />
        </ConfirmedSelect>
      </div>
      {why === "" ? null : (
        <p
          id={note}
          class={action.error === "" ? "why" : "error"}
          role={action.error === "" ? undefined : "alert"}
        >
          {why}
        </p>
      )}
    </div>
  );
}

import { useId } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp, useSession } from "../lib/context";
import type { Thread } from "../model/types";

/** Hands the thread to another business of its organization; the transfer event goes out. */
export function TransferPicker({ thread }: { thread: Thread }) {
  const { tables, api } = useSession("records", "threads");
  const { say } = useApp();
  const action = useAction();
  const note = useId();
  const businesses = tables.otherBusinessesOf(thread);
  const staffed = new Set([...tables.users.values()].flatMap((user) => user.businessIds));
  const why = businesses.length === 0 ? "The organization has no other business." : action.trouble;
  const transfer = async (select: HTMLSelectElement) => {
    const business = tables.businesses.get(select.value);
    select.value = "";
    if (business === undefined) return;
    const done = await action.run(() =>
      api.post(`/threads/${thread.id}/transfer`, { businessId: business.id }),
    );
    if (done) say(`Transferred to ${business.name}`);
  };
  return (
    <div class="control">
      <label class="inline-field">
        <span>Transfer to</span>
        <select
          value=""
          aria-disabled={businesses.length === 0 || action.busy}
          aria-describedby={why === "" ? undefined : note}
          onChange={(event) => transfer(event.currentTarget)}
        >
          <option value="">choose…</option>
          {businesses.map(({ id, name }) => (
            <option key={id} value={id} disabled={!staffed.has(id)}>
              {staffed.has(id) ? name : `${name} (nobody works there)`}
            </option>
          ))}
        </select>
      </label>
      {why === "" ? null : (
        <p
          id={note}
          class={action.trouble === "" ? "why" : "trouble"}
          role={action.trouble === "" ? undefined : "alert"}
        >
          {why}
        </p>
      )}
    </div>
  );
}

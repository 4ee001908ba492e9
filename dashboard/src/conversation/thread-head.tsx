import { useAction } from "../lib/action";
import { useSession } from "../lib/context";
import { initialsOf } from "../lib/format";
import type { Thread } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Trouble } from "../parts/empty";
import { hueOf } from "../threads/thread-link";
import { TransferPicker } from "./transfer-picker";
import { WindowSwitch } from "./window-switch";

const STATUSES = ["waiting", "replied", "resolved"] as const;

/** Who this is, and what can be done to the thread as a whole. */
export function ThreadHead({ thread }: { thread: Thread }) {
  const session = useSession("threads", "records");
  const action = useAction();
  const { tables, api } = session;
  const name = tables.customerNameOf(thread);
  const business = tables.businesses.get(thread.businessId);
  const setStatus = (status: string) =>
    action.run(() => api.call("PATCH", `/data/threads/${thread.id}`, { status }));
  return (
    <header class="thread-head">
      <div class="who">
        <span class={`avatar large hue-${hueOf(name)}`} aria-hidden="true">
          {initialsOf(name)}
        </span>
        <div class="who-words">
          <h2>{name}</h2>
          <p class="small-text muted">
            <span class="channel">{thread.channel}</span> · {business?.name ?? thread.businessId} · thread{" "}
            {thread.id}
          </p>
        </div>
        <div class="who-tools">
          <CopyButton small text={thread.id} label="Copy thread id" />
          <CopyButton
            label="Copy transcript"
            text={() => api.get<string>(`/threads/${thread.id}/transcript?format=md`)}
          />
        </div>
      </div>
      <div class="controls">
        <label class="inline-field">
          <span>Status</span>
          <select value={thread.status} onChange={(event) => setStatus(event.currentTarget.value)}>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </select>
        </label>
        <TransferPicker thread={thread} />
        <WindowSwitch thread={thread} />
      </div>
      <Trouble text={action.trouble} />
    </header>
  );
}

import { useId, useState } from "preact/hooks";
import { hasWindow, isShownOpen } from "../../../src/kernel/windows.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import { THREAD_STATUSES } from "../model/thread-statuses";
import type { Thread, WindowView } from "../model/types";
import { Avatar } from "../parts/avatar";
import { Button } from "../parts/button";
import { ConfirmedSelect } from "../parts/confirmed-select";
import { CopyButton } from "../parts/copy-button";
import { ProfileDialog } from "../parts/dialogs";
import { ErrorText } from "../parts/empty";
import { Menu } from "../parts/menu";
import { Options } from "../parts/options";

/** The customer and business of a thread, and the controls that change the thread as a whole. */
export function ThreadHead({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const [showsProfile, setShowsProfile] = useState(false);
  const { tables, transport } = session;
  const name = tables.customerName(thread);
  const business = tables.businesses.get(thread.businessId);
  const setStatus = (status: string) =>
    action.run(() => transport.call("PATCH", `/data/threads/${thread.id}`, { body: { status } }));
  return (
    <header class="thread-head">
      <div class="who">
        <Avatar name={name} large />
        <div class="who-text">
          <h2 dir="auto" title={name}>
            {name}
          </h2>
          <p class="small-text muted">
            thread {thread.id} · <span class="channel">{thread.channel}</span> ·{" "}
            <bdi>{business?.name ?? thread.businessId}</bdi>
          </p>
        </div>
        <div class="who-tools">
          {showsProfile ? (
            <ProfileDialog customerId={thread.customerId} onClose={() => setShowsProfile(false)} />
          ) : null}
          <Menu label="More" icon="more">
            <Button icon="page" onClick={() => setShowsProfile(true)}>
              Profile
            </Button>
            <CopyButton text={thread.id} label="Copy thread id" />
          </Menu>
        </div>
      </div>
      <div class="controls">
        <div class="row">
          <ConfirmedSelect label="Status" value={thread.status} confirm="Set status" onConfirm={setStatus}>
            {THREAD_STATUSES.map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </ConfirmedSelect>
        </div>
        <TransferPicker thread={thread} />
        <WindowSwitch thread={thread} />
      </div>
      <ErrorText text={action.error} />
    </header>
  );
}

function windowText(view: WindowView, thread: Thread): string {
  if (!hasWindow(view, thread)) return `${thread.channel} has no messaging window.`;
  if (!isShownOpen(view, thread)) return "Closed.";
  const { windowClosesAt } = thread;
  return windowClosesAt == null ? "No end set." : `Closes in ${longMs(windowClosesAt - view.now)}.`;
}

function WindowSwitch({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const note = useId();
  useTick(thread.windowClosesAt != null && !session.clock.frozen);
  const view = session.windowView();
  const usable = hasWindow(view, thread);
  const open = usable && isShownOpen(view, thread);
  const toggle = (input: HTMLInputElement) => {
    input.checked = open;
    if (!usable || action.busy) return;
    void action.run(() =>
      session.transport.call("POST", `/threads/${thread.id}/window`, { body: { open: !open } }),
    );
  };
  return (
    <div class="control window">
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={open}
          aria-checked={open}
          aria-disabled={!usable}
          aria-describedby={note}
          onChange={(event) => toggle(event.currentTarget)}
        />
        <span class="track" aria-hidden="true" />
        <span>Messaging window open</span>
      </label>
      <p id={note} class={usable ? "why" : "why needed"} title={windowText(view, thread)}>
        {session.behaviour.value.length === 0 ? "Loading…" : windowText(view, thread)}
      </p>
      <ErrorText text={action.error} />
    </div>
  );
}

/** Transfers the thread to another business of its organization. */
function TransferPicker({ thread }: { thread: Thread }) {
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

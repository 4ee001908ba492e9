import { useId, useState } from "preact/hooks";
import { hasWindow, isShownOpen } from "../../../src/protocol/windows.js";
import { useAction } from "../lib/action";
import { FOLDED, useApp } from "../lib/context";
import { longMs } from "../lib/format";
import { BESIDE, MAX_OPEN } from "../lib/route";
import { useTick } from "../lib/tick";
import { firstOwnMessage } from "../model/recording";
import { THREAD_STATUSES } from "../model/thread-statuses";
import type { Thread, WindowView } from "../model/types";
import { Avatar } from "../parts/avatar";
import { Button } from "../parts/button";
import { ConfirmedSelect } from "../parts/confirmed-select";
import { CopyButton } from "../parts/copy-button";
import { ProfileDialog, ScenarioDialog, ShareDialog, TimingDialog } from "../parts/dialogs";
import { ErrorText } from "../parts/empty";
import { Menu } from "../parts/menu";
import { Options } from "../parts/options";
import { NotifyButton } from "./due";

/** The customer and business of a thread, and the controls that change the thread as a whole. */
export function ThreadHead({ thread, isBeside }: { thread: Thread; isBeside: boolean }) {
  const { session } = useApp();
  const action = useAction();
  const [opened, setOpened] = useState<"test" | "profile" | "times" | "share" | null>(null);
  const close = () => setOpened(null);
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
          {firstOwnMessage(session, thread.id) === undefined ? null : (
            <Button class="ghost small" onClick={() => setOpened("test")}>
              Save as test
            </Button>
          )}
          {opened === "test" ? <ScenarioDialog thread={thread} from={null} onClose={close} /> : null}
          {opened === "profile" ? <ProfileDialog customerId={thread.customerId} onClose={close} /> : null}
          {opened === "times" ? <TimingDialog thread={thread} onClose={close} /> : null}
          {opened === "share" ? <ShareDialog thread={thread} from={null} onClose={close} /> : null}
          <Menu label="More">
            <Button icon="chat" onClick={() => setOpened("share")}>
              Share…
            </Button>
            <Button icon="clock" onClick={() => setOpened("times")}>
              Where time went
            </Button>
            <Button icon="page" onClick={() => setOpened("profile")}>
              Profile
            </Button>
            <CopyButton text={thread.id} label="Copy thread id" />
            <CopyButton
              icon="page"
              label="Copy transcript"
              text={() =>
                transport.call("GET", `/threads/${thread.id}/transcript`, { query: { format: "md" } })
              }
            />
            <NotifyButton />
            {isBeside ? null : <KeepBeside thread={thread} />}
          </Menu>
          {isBeside ? <CloseBeside thread={thread} /> : null}
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

/** The threads beside the chosen one, and a function that sets them. */
function useBeside() {
  const { route, navigate } = useApp();
  const ids = (route.filters[BESIDE] ?? "").split(",").filter((id) => id !== "");
  const set = (next: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    navigate({ filters: { ...route.filters, [BESIDE]: next.join(","), ...more } });
  return [ids, set] as const;
}

/** Keeps the conversation open beside the one that is chosen next; the inspector makes room. */
function KeepBeside({ thread: { id, customerId } }: { thread: Thread }) {
  const { session, notify } = useApp();
  const [ids, set] = useBeside();
  const keep = () => {
    set([id, ...ids.filter((one) => one !== id)].slice(0, MAX_OPEN - 1), { [FOLDED]: "on" });
    const name = session.tables.customers.get(customerId)?.displayName ?? `Thread ${id}`;
    notify(`${name} stays open. Choose another thread`);
  };
  return (
    <Button icon="plus" class="if-wide-screen" onClick={keep}>
      Keep open beside
    </Button>
  );
}

/** Closes a conversation beside the chosen one. */
function CloseBeside({ thread: { id } }: { thread: Thread }) {
  const [ids, set] = useBeside();
  return (
    <Button
      icon="cross"
      class="ghost icon-only"
      label={`Close thread ${id}`}
      onClick={() => set(ids.filter((one) => one !== id))}
    />
  );
}

function windowText(view: WindowView, thread: Thread): string {
  if (!hasWindow(view, thread)) return `${thread.channel} has no messaging window.`;
  if (!isShownOpen(view, thread)) return "Closed: templates and internal only.";
  const { windowClosesAt } = thread;
  return windowClosesAt == null
    ? "Open until closed by hand."
    : `Closes in ${longMs(windowClosesAt - view.now)}.`;
}

function WindowSwitch({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const note = useId();
  useTick(thread.windowClosesAt != null && !session.clock.frozen);
  const view = session.windowView();
  const open = isShownOpen(view, thread);
  const usable = hasWindow(view, thread);
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
      <p id={note} class="why" title={windowText(view, thread)}>
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

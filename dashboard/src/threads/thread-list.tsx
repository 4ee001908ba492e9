import { useApp, useFilter } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { plural, shortTime } from "../lib/format";
import { routeSearch } from "../lib/route";
import type { Session } from "../model/session";
import { THREAD_STATUSES } from "../model/thread-statuses";
import type { Thread } from "../model/types";
import { Avatar } from "../parts/avatar";
import { DialogButton } from "../parts/dialog-button";
import { ConversationDialog, UsersDialog } from "../parts/dialogs";
import { Empty } from "../parts/empty";
import { Icon, type IconName } from "../parts/icon";
import { WindowedList } from "../parts/windowed-list";

/** The filter for threads with a failed event, or without an answer to the customer. */
const ATTENTION = "attention";

/** Whether the customer is waiting for a reply. */
const isDue = ({ activity }: Session, { id, status }: Thread): boolean =>
  status !== "resolved" && activity.in(id).isDue;

/** The threads that match the search and status, those with the newest activity first. */
function matchingThreads(session: Session, search: string, status: string): Thread[] {
  const { tables, activity } = session;
  const wanted = search.trim().toLowerCase();
  const matching = [...tables.threads.records.values()].filter(
    (thread) =>
      (status === ATTENTION
        ? session.failing.value.has(thread.id) || isDue(session, thread)
        : status === "" || thread.status === status) &&
      (wanted === "" ||
        thread.id.startsWith(wanted) ||
        tables.customerName(thread).toLowerCase().includes(wanted) ||
        thread.channel.toLowerCase().includes(wanted)),
  );
  return matching
    .map((thread) => ({ thread, order: activity.in(thread.id).order }))
    .sort((one, other) => other.order - one.order)
    .map(({ thread }) => thread);
}

export function ThreadList() {
  const { session, route } = useApp();
  const { tables } = session;
  const [search, setSearch] = useFilter("threads");
  const [status, setStatus] = useFilter("status");
  const threads = matchingThreads(session, search, status);
  const all = Math.max(tables.threads.records.size, session.threadCount.value);
  const [business] = tables.businesses.records.values();
  const customer = [...tables.customers.records.values()].find(
    ({ organizationId }) => organizationId === business?.organizationId,
  );
  return (
    <nav
      class="threads"
      id="threads"
      aria-label="Threads"
      tabIndex={-1}
      onKeyDown={({ key, target }) => {
        if (key === "Escape" && target instanceof HTMLAnchorElement)
          document.getElementById("conversation")?.focus();
      }}
    >
      <div class="threads-head">
        <div class="row threads-tools">
          <DialogButton
            icon="plus"
            class="grow"
            dialog={(onClose) => <ConversationDialog onClose={onClose} />}
          >
            New conversation
          </DialogButton>
          <DialogButton dialog={(onClose) => <UsersDialog onClose={onClose} />}>Users</DialogButton>
        </div>
        <input
          type="search"
          dir="auto"
          aria-label="Search threads"
          placeholder="Name, channel or id"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <div class="row spread">
          <span class="muted small-text">
            {threads.length === tables.threads.records.size
              ? plural(all, "thread")
              : `${threads.length.toLocaleString("en")} of ${plural(all, "thread")}`}
          </span>
          <select
            class="small"
            aria-label="Show"
            value={status}
            onChange={(event) => setStatus(event.currentTarget.value)}
          >
            <option value="">any status</option>
            <option value={ATTENTION}>needs attention</option>
            {THREAD_STATUSES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {threads.length === 0 ? (
        all === 0 ? (
          <Empty
            title="No threads yet"
            command={
              business &&
              customer &&
              controlCurl(session, "/data/threads", {
                businessId: business.id,
                customerId: customer.id,
                channel: "WHATSAPP",
                status: "waiting",
                isMessagingWindowOpen: true,
              })
            }
          >
            Threads come from the widget, from a fixture, or from a call:
          </Empty>
        ) : (
          <Empty title="No matching threads">Change the search or the status.</Empty>
        )
      ) : (
        <WindowedList
          items={threads}
          keyOf={(thread) => thread.id}
          estimate={64}
          // Threads in sight load before the rest, among which this one stands elsewhere.
          reveal={session.threadCount.value === 0 ? route.thread : null}
          outer={{ tabIndex: -1 }}
          inner={{ role: "list" }}
          render={(thread, at) => (
            <div
              key={thread.id}
              data-key={thread.id}
              role="listitem"
              aria-setsize={threads.length}
              aria-posinset={at + 1}
            >
              <ThreadLink thread={thread} current={thread.id === route.thread} />
            </div>
          )}
        />
      )}
    </nav>
  );
}

const CHANNEL_ICONS: Readonly<Record<string, IconName>> = { WHATSAPP: "chat", SMS: "phone", EMAIL: "mail" };

/** How long a reply may take before it counts as missing, ms; the animation of `.late` takes as long. */
const SOON_MS = 2_000;

/** An entry of the list: customer, channel, newest text or business, status, number of unread messages. */
function ThreadLink({ thread, current }: { thread: Thread; current: boolean }) {
  const { session, route, navigate } = useApp();
  const { tables, activity } = session;
  const name = tables.customerName(thread);
  const { text, unread, at, heard } = activity.in(thread.id);
  const business = tables.businesses.get(thread.businessId)?.name ?? "";
  return (
    <a
      class="thread"
      href={routeSearch({ ...route, thread: thread.id, item: null })}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate({ thread: thread.id, item: null });
        if (matchMedia("(width < 700px)").matches) document.getElementById("conversation")?.scrollIntoView();
      }}
    >
      <Avatar name={name} />
      <span class="thread-main">
        <span class="thread-line">
          <span class="thread-name" dir="auto">
            {name}
          </span>
          {at === null ? null : <span class="thread-time">{shortTime(at, session.clock.now())}</span>}
        </span>
        <span class="thread-line thread-sub">
          <span class="channel" title={thread.channel}>
            <Icon name={CHANNEL_ICONS[thread.channel] ?? "chat"} />
            <span class="visually-hidden">{thread.channel}</span>
          </span>
          <span class="ellipsis" dir="auto">
            {text || business}
          </span>
          {session.failing.value.has(thread.id) ? (
            <span class="trouble">event failed</span>
          ) : isDue(session, thread) ? (
            <span class={`trouble ${performance.now() - heard < SOON_MS ? "late" : ""}`}>no reply</span>
          ) : null}
          {unread > 0 ? <span class="unread">{unread} new</span> : null}
          <span class={`status-dot ${thread.status}`} title={thread.status}>
            <span class="visually-hidden">{thread.status}</span>
          </span>
        </span>
      </span>
    </a>
  );
}

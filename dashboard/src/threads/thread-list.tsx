import { useEffect, useState } from "preact/hooks";
import { useApp, useFilter } from "../lib/context";
import { plural, shortTime } from "../lib/format";
import { showPart } from "../lib/phone";
import { MESSAGE, routeSearch } from "../lib/route";
import type { Session } from "../model/session";
import { THREAD_STATUSES } from "../model/thread-statuses";
import type { Message, Thread } from "../model/types";
import { Avatar } from "../parts/avatar";
import { DialogButton } from "../parts/dialog-button";
import { ConversationDialog, UsersDialog } from "../parts/dialogs";
import { Empty } from "../parts/empty";
import { Icon, type IconName } from "../parts/icon";
import { WindowedList } from "../parts/windowed-list";

/** The filter for threads with a failed event, or without an answer to the customer. */
const ATTENTION = "attention";

/** Whether the customer is waiting for a reply. */
function isDue(session: Session, { id }: Thread): boolean {
  const { due } = session.activity.in(id);
  return due !== null && !session.isResolvedSince(id, due);
}

/** How long typing must pause before the server is asked for messages, ms. */
const TYPING_MS = 200;
/** So many of the newest messages with a text are looked at, and texts of so few letters are not searched. */
const MAX_FOUND = 1_000;
const MIN_LETTERS = 2;

/** So many letters before what was found are shown. */
const BEFORE = 12;

type Found = ReadonlyMap<string, Message>;

/** The part of a text in which the search stands. */
function excerptOf(text: string, wanted: string): string {
  const from = text.toLowerCase().indexOf(wanted) - BEFORE;
  return from > 0 ? `…${text.slice(from)}` : text;
}

/** The newest message with a text in each thread, by thread, as far as the server has told. */
function useMessagesWith(text: string): Found {
  const { transport } = useApp().session;
  const [found, setFound] = useState<Found>(new Map());
  useEffect(() => {
    if (text.length < MIN_LETTERS) return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      const query = { "text:contains": text, _sort: "-timestamp", _page: 1, _per_page: MAX_FOUND };
      transport
        .call<{ readonly data: readonly Message[] }>("GET", "/data/messages", { query, signal: left.signal })
        .then(
          ({ data }) => setFound(new Map(data.toReversed().map((message) => [message.threadId, message]))),
          () => {},
        );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [transport, text]);
  // What was found before the search went on may not fit any more.
  const fits = ({ text: own }: Message) => text.length >= MIN_LETTERS && own.toLowerCase().includes(text);
  return new Map([...found].filter(([, message]) => fits(message)));
}

/** The threads that match the search and status, those with the newest activity first. */
function matchingThreads(session: Session, wanted: string, found: Found, status: string): Thread[] {
  const { tables, activity } = session;
  const matching = [...tables.threads.records.values()].filter(
    (thread) =>
      (status === ATTENTION
        ? session.failing.value.has(thread.id) || isDue(session, thread)
        : status === "" || thread.status === status) &&
      (wanted === "" ||
        thread.id.startsWith(wanted) ||
        found.has(thread.id) ||
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
  const [search, setSearch] = useFilter("threads");
  const [status, setStatus] = useFilter("status");
  const wanted = search.trim().toLowerCase();
  const found = useMessagesWith(wanted);
  const threads = matchingThreads(session, wanted, found, status);
  const all = session.tables.threads.records.size;
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
          placeholder="Name, text, channel or id"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <div class="row spread">
          <span class="muted small-text">
            {threads.length === all
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
          <Empty title="No threads yet">
            Threads come from the widget, from a fixture, or from a new conversation.
          </Empty>
        ) : (
          <Empty title="No matching threads">Change the search or the status.</Empty>
        )
      ) : (
        <WindowedList
          items={threads}
          keyOf={(thread) => thread.id}
          estimate={64}
          reveal={route.thread}
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
              <ThreadLink
                thread={thread}
                current={thread.id === route.thread}
                found={found.get(thread.id)}
                wanted={wanted}
              />
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

interface LinkProps {
  readonly thread: Thread;
  readonly current: boolean;
  /** The message that a search found in it, and that search. */
  readonly found: Message | undefined;
  readonly wanted: string;
}

/** An entry of the list: customer, channel, newest text or business, status, number of unread messages. */
function ThreadLink({ thread, current, found, wanted }: LinkProps) {
  const { session, route, navigate } = useApp();
  const { tables, activity } = session;
  const name = tables.customerName(thread);
  const { text, unread, at, heard } = activity.in(thread.id);
  const business = tables.businesses.get(thread.businessId)?.name ?? "";
  const filters = { ...route.filters, [MESSAGE]: found?.id ?? "" };
  const to = { thread: thread.id, item: null, filters };
  return (
    <a
      class="thread"
      href={routeSearch({ ...route, ...to })}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
        showPart("conversation");
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
            {found === undefined ? text || business : excerptOf(found.text, wanted)}
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

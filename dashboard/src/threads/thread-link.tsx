import { useApp } from "../lib/context";
import { shortTime } from "../lib/format";
import { routeSearch } from "../lib/route";
import type { Thread } from "../model/types";
import { Avatar } from "../parts/avatar";
import { Icon, type IconName } from "../parts/icon";
import { isDue } from "./attention";

const CHANNEL_ICONS: Readonly<Record<string, IconName>> = { WHATSAPP: "chat", SMS: "phone", EMAIL: "mail" };

/** An answer within this time is no trouble; as long as the animation of the mark, ms. */
const SOON_MS = 2_000;

/** An entry of the list: customer, channel, newest text or business, status, number of unread messages. */
export function ThreadLink({ thread, current }: { thread: Thread; current: boolean }) {
  const { session, route, navigate } = useApp();
  const { tables, activity } = session;
  const name = tables.customerName(thread);
  const { text, unread, at, heard } = activity.in(thread.id);
  const newest = session.deliveries.entries.findLast(({ threadId }) => threadId === thread.id);
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
          {newest?.status === "failed" ? (
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

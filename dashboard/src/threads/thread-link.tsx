import { useApp } from "../lib/context";
import { routeSearch } from "../lib/route";
import type { Thread } from "../model/types";
import { Avatar } from "../parts/avatar";

/** An entry of the list: customer, channel, newest text or business, status, number of unread messages. */
export function ThreadLink({ thread, current }: { thread: Thread; current: boolean }) {
  const { session, route, navigate } = useApp();
  const { tables, activity } = session;
  const name = tables.customerName(thread);
  const { text, order, unread } = activity.in(thread.id);
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
        <span class="thread-name" dir="auto">
          {name}
        </span>
        <span class="thread-sub">
          <span class="channel">{thread.channel}</span>
          <span class="ellipsis" dir="auto">
            {order === 0 ? business : text}
          </span>
        </span>
      </span>
      <span class="thread-end">
        <span class={`status ${thread.status}`}>{thread.status}</span>
        {unread > 0 ? <span class="unread">{unread} new</span> : null}
      </span>
    </a>
  );
}

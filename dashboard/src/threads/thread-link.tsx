import { searchOf } from "../lib/address";
import { useApp } from "../lib/context";
import { initialsOf } from "../lib/format";
import type { Thread } from "../model/types";

const HUES = 6;

/** Which of the pictures' colours a name gets: always the same. */
export const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7) % HUES;

/** A line of the list: who, over which channel, how it stands. */
export function ThreadLink({ thread, current }: { thread: Thread; current: boolean }) {
  const { session, place, go } = useApp();
  const name = session.tables.customerNameOf(thread);
  const unread = session.activity.unreadIn(thread.id);
  const last = session.activity.lastTextIn(thread.id);
  const business = session.tables.businesses.get(thread.businessId)?.name ?? "";
  return (
    <a
      class="thread"
      href={searchOf({ ...place, thread: thread.id, item: null })}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go({ thread: thread.id, item: null });
        if (matchMedia("(width < 700px)").matches) document.getElementById("conversation")?.scrollIntoView();
      }}
    >
      <span class={`avatar hue-${hueOf(name)}`} aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span class="thread-main">
        <span class="thread-name">{name}</span>
        <span class="thread-sub">
          <span class="channel">{thread.channel}</span>
          <span class="ellipsis">{last === undefined ? business : last}</span>
        </span>
      </span>
      <span class="thread-end">
        <span class={`status ${thread.status}`}>{thread.status}</span>
        {unread > 0 ? <span class="unread">{unread} new</span> : null}
      </span>
    </a>
  );
}

import { useMemo, useState } from "preact/hooks";
import { useApp, useSession } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { plural } from "../lib/format";
import type { Session } from "../model/session";
import type { Thread } from "../model/types";
import { Empty } from "../parts/empty";
import { WindowedList } from "../parts/windowed-list";
import { ThreadLink } from "./thread-link";

const STATUSES = ["all", "waiting", "replied", "resolved"] as const;

/** The threads that fit, those in which something has just happened first. */
function shownThreads(session: Session, words: string, status: string): Thread[] {
  const wanted = words.trim().toLowerCase();
  const fitting = [...session.tables.threads.values()].filter(
    (thread) =>
      (status === "all" || thread.status === status) &&
      (wanted === "" ||
        thread.id.startsWith(wanted) ||
        session.tables.customerNameOf(thread).toLowerCase().includes(wanted) ||
        thread.channel.toLowerCase().includes(wanted)),
  );
  return fitting
    .map((thread) => ({ thread, order: session.activity.orderOf(thread.id) }))
    .sort((one, other) => other.order - one.order)
    .map(({ thread }) => thread);
}

export function ThreadList() {
  const session = useSession("threads", "records");
  const { place } = useApp();
  const [words, setWords] = useState("");
  const [status, setStatus] = useState<string>("all");
  const threads = shownThreads(session, words, status);
  const all = session.tables.threads.size;
  const outer = useMemo(() => ({}), []);
  const [business] = session.tables.businesses.keys();
  return (
    <nav class="threads" id="threads" aria-label="Threads" tabIndex={-1}>
      <div class="threads-head">
        <input
          type="search"
          aria-label="Search threads"
          placeholder="Search name, channel, id"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
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
            {STATUSES.map((name) => (
              <option key={name} value={name}>
                {name === "all" ? "any status" : name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {threads.length === 0 ? (
        all === 0 ? (
          <Empty
            title="No threads yet"
            command={controlCurl(
              "POST",
              session.api.base,
              "/data/threads",
              session.api.access.token !== null,
              {
                businessId: business ?? "1001",
                customerId: [...session.tables.customers.keys()][0] ?? "cust_001",
                channel: "WHATSAPP",
                status: "waiting",
                isMessagingWindowOpen: true,
              },
            )}
          >
            A thread comes into being through the widget route, a fixture, or by hand:
          </Empty>
        ) : (
          <Empty title="No thread fits">Search for less, or for another status.</Empty>
        )
      ) : (
        <WindowedList
          items={threads}
          keyOf={(thread) => thread.id}
          estimate={64}
          reveal={place.thread}
          outer={outer}
          inner={{ role: "list" }}
          render={(thread, at) => (
            <div
              key={thread.id}
              data-key={thread.id}
              role="listitem"
              aria-setsize={threads.length}
              aria-posinset={at + 1}
            >
              <ThreadLink thread={thread} current={thread.id === place.thread} />
            </div>
          )}
        />
      )}
    </nav>
  );
}

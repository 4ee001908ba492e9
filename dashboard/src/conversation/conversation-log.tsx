import { useMemo, useState } from "preact/hooks";
import { useApp, useFilter, useItem } from "../lib/context";
import { MESSAGE } from "../lib/route";
import type { Conversation } from "../model/conversation";
import { messageOfDelivery } from "../model/entries";
import type { Thread } from "../model/types";
import { Button } from "../parts/button";
import { Empty, ErrorText, Loading } from "../parts/empty";
import { WindowedList } from "../parts/windowed-list";
import type { Step } from "../story/turns";
import { EventChips } from "./event-chips";
import { MessageArticle } from "./message-article";

const LOG = { role: "log", "aria-label": "Conversation", tabIndex: 0 } as const;

/** The messages of the open thread with the traffic between them, or why there are none. */
export function ConversationLog({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const conversation = session.conversationOf(thread.id);
  return (
    <div class="log-place">
      {conversation === undefined || conversation.state.value === "loading" ? (
        <Loading what="the conversation" />
      ) : conversation.state.value === "failed" ? (
        <ErrorText text={conversation.error} />
      ) : (
        <LoadedLog thread={thread} conversation={conversation} />
      )}
    </div>
  );
}

function LoadedLog({ thread, conversation }: { thread: Thread; conversation: Conversation }) {
  const { session } = useApp();
  const item = useItem();
  const items = conversation.items.value;
  const [firstBefore, setFirstBefore] = useState<string | null>(null);
  const hasEarlier = conversation.earlier.value > 0;
  const shown = useMemo(() => (hasEarlier ? [EARLIER, ...items] : items), [items, hasEarlier]);
  const delivery = item === null ? undefined : session.deliveries.get(item);
  const [found] = useFilter(MESSAGE);
  const chosen = delivery === undefined ? found : messageOfDelivery(delivery);
  const reveal = useMemo(() => keyOfEntry(items, item, found), [items, item, found]);
  if (items.length === 0)
    return (
      <div role="log" aria-label="Conversation" class="windowed">
        <Empty title="No messages yet">Write as the customer below.</Empty>
      </div>
    );
  return (
    <WindowedList
      items={shown}
      keyOf={(item) => item.key}
      estimate={70}
      follow
      toEnd={conversation.ends.value}
      newest={conversation.messages.value.at(-1)?.id ?? null}
      reveal={reveal ?? firstBefore}
      revealFor={reveal === null ? firstBefore : `${item} ${found}`}
      outer={LOG}
      render={(item, at) => (
        <div
          key={item.key}
          data-key={item.key}
          class={`line ${item.kind === "events" ? "slim" : ""} ${at > 0 && "opens" in item && item.opens ? "opens" : ""}`}
        >
          {item.kind === "earlier" ? (
            <EarlierButton
              onClick={async () => {
                await conversation.showEarlier();
                setFirstBefore(items[0]?.key ?? null);
              }}
            />
          ) : item.kind === "message" ? (
            <MessageArticle step={item} thread={thread} chosen={chosen === item.message.id} />
          ) : (
            <EventChips folds={item.folds} />
          )}
        </div>
      )}
    />
  );
}

/** The first item while there are messages before those that are shown. */
const EARLIER = { kind: "earlier", key: "earlier" } as const;

function EarlierButton({ onClick }: { onClick: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  return (
    <p class="day">
      <Button
        class="ghost small"
        disabled={busy}
        onClick={({ currentTarget }) => {
          const log = currentTarget.closest<HTMLElement>("[role=log]");
          setBusy(true);
          return onClick().finally(() => {
            setBusy(false);
            // The button may be gone, and the keys go on in what is read.
            log?.focus({ preventScroll: true });
          });
        }}
      >
        Show earlier messages
      </Button>
    </p>
  );
}

/** The key of the item with a request or delivery; if none is open, of the message that a search found. */
function keyOfEntry(items: readonly Step[], id: string | null, found: string): string | null {
  const item = items.find((one) =>
    one.kind === "events"
      ? id !== null && one.folds.some(({ ids }) => ids.includes(id))
      : id === null && one.message.id === found,
  );
  return item?.key ?? null;
}

import { useMemo, useState } from "preact/hooks";
import { useApp, useSession } from "../lib/context";
import { controlCurl } from "../lib/curl";
import { messageOfDelivery } from "../model/threads-of";
import { deliveriesByMessage, linesOf } from "../model/timeline";
import type { Thread } from "../model/types";
import { Empty, Loading, Trouble } from "../parts/empty";
import { WindowedList } from "../parts/windowed-list";
import { Effects } from "./effects";
import { MessageArticle } from "./message-article";
import { ScenarioDialog } from "./scenario-dialog";

/** What was said, and between the bubbles what each message caused. */
export function ConversationLog({ thread }: { thread: Thread }) {
  const session = useSession("conversation", "requests", "deliveries", "records");
  const { place } = useApp();
  const [saving, setSaving] = useState<string | null>(null);
  const { conversation } = session;
  const messages = conversation?.threadId === thread.id ? conversation.messages : [];
  const { entries: requests } = session.requests;
  const { entries: deliveries } = session.deliveries;
  const lines = useMemo(
    () => linesOf(session, thread.id, messages),
    [session, thread.id, messages, requests, deliveries],
  );
  const states = useMemo(() => deliveriesByMessage(session, thread.id), [session, thread.id, deliveries]);
  const outer = useMemo(() => ({ role: "log" as const, "aria-label": "Conversation", tabIndex: 0 }), []);
  const chosen = useMemo(() => {
    const delivery = place.item === null ? undefined : session.deliveries.get(place.item);
    return delivery === undefined ? null : messageOfDelivery(delivery);
  }, [session, place.item]);
  const reveal = useMemo(() => keyOfItem(lines, place.item), [lines, place.item]);

  if (conversation?.threadId === thread.id && conversation.state === "failed")
    return (
      <div class="log-place">
        <Trouble text={conversation.trouble} />
      </div>
    );
  if (conversation?.threadId !== thread.id || conversation.state === "loading")
    return (
      <div class="log-place">
        <Loading what="the conversation" />
      </div>
    );
  return (
    <div class="log-place">
      {lines.length === 0 ? (
        <div role="log" aria-label="Conversation" class="windowed">
          <Empty
            title="Nobody has written yet"
            command={controlCurl(
              "POST",
              session.api.base,
              `/threads/${thread.id}/inbound`,
              session.api.access.token !== null,
              { text: "Hello" },
            )}
          >
            Write as the customer below, or from a shell:
          </Empty>
        </div>
      ) : (
        <WindowedList
          items={lines}
          keyOf={(line) => line.key}
          estimate={70}
          follow
          reveal={reveal}
          outer={outer}
          render={(line) => (
            <div key={line.key} data-key={line.key} class={line.kind === "message" ? "line" : "line slim"}>
              {line.kind === "message" ? (
                <MessageArticle
                  message={line.message}
                  thread={thread}
                  day={line.day}
                  deliveries={states.get(line.message.id)}
                  chosen={chosen === line.message.id}
                  onSave={setSaving}
                />
              ) : (
                <Effects effects={line.effects} />
              )}
            </div>
          )}
        />
      )}
      {saving === null ? null : (
        <ScenarioDialog thread={thread} from={saving} onClose={() => setSaving(null)} />
      )}
    </div>
  );
}

/** The line in which a request or delivery stands. */
function keyOfItem(lines: ReturnType<typeof linesOf>, item: string | null): string | null {
  if (item === null) return null;
  for (const line of lines) {
    if (line.kind !== "effects") continue;
    const there = line.effects.some((effect) =>
      effect.kind === "request" ? effect.request.id === item : effect.delivery.id === item,
    );
    if (there) return line.key;
  }
  return null;
}

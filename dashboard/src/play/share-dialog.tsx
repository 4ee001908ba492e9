import { useMemo, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";
import type { Conversation } from "../model/conversation";
import { firstOwnMessage, recordedFrom } from "../model/recorded-steps";
import type { Session } from "../model/session";
import type { Message, Thread } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Dialog } from "../parts/dialog";
import type { Turn } from "../story/turns";
import { htmlOf } from "./share-html";
import { markdownOf } from "./share-markdown";
import type { Shared } from "./shared";
import { partsOf } from "./shared";
import { vitestOf } from "./vitest-text";

export interface ShareProps {
  readonly thread: Thread;
  /** A message of the turn; null for the whole conversation. */
  readonly from: string | null;
  readonly authorOf: (message: Message) => string;
  /** Why a reply is due; empty where none is. */
  readonly due: (conversation: Conversation) => string;
  readonly onClose: () => void;
}

const holds = ({ steps }: Turn, id: string | null): boolean =>
  steps.some((step) => step.kind === "message" && step.message.id === id);

/** The test of these turns; where a reply is due, it waits for one, and fails. */
function testOf(session: Session, threadId: string, turns: readonly Turn[], isDue: boolean): string {
  const ids = turns.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "message" ? [step.message.id] : [])),
  );
  const messages = session.conversationOf(threadId)?.messages.peek() ?? [];
  const own = firstOwnMessage(session, threadId);
  const at = (id: string | undefined) => messages.findIndex((message) => message.id === id);
  const [from, end] = [Math.max(at(own), at(ids[0])), at(ids.at(-1)) + 1];
  if (own === undefined || from < 0 || from >= end) return "";
  const recorded = recordedFrom(session, threadId, messages[from]?.id ?? "");
  const steps = recorded.steps.slice(0, end - from);
  const any = { kind: "reply", text: undefined, template: undefined } as const;
  return vitestOf(session, { ...recorded, steps: isDue ? [...steps, any] : steps });
}

function sharedOf(
  session: Session,
  conversation: Conversation,
  { thread, from, authorOf, due }: Omit<ShareProps, "onClose">,
): Shared {
  const { tables, sandbox, clock } = session;
  const all = conversation.turns.peek();
  const turns = from === null ? all : all.filter((turn) => holds(turn, from));
  const isDue = conversation.due.peek() !== null && turns.at(-1) === all.at(-1);
  const business = tables.businesses.get(thread.businessId)?.name ?? thread.businessId;
  const where = `thread ${thread.id}, ${thread.channel}, ${thread.status}, sandbox ${sandbox}`;
  return {
    title: `${tables.customerName(thread)} and ${business}`,
    facts: `messaging-sim: ${where}, ${isoTime(clock.now())} by the sandbox's clock`,
    turns: turns.map((turn) => partsOf(turn, authorOf)),
    due: isDue ? due(conversation) : "",
    test: testOf(session, thread.id, turns, isDue),
  };
}

const SCOPES = [
  ["This turn", true],
  ["Conversation", false],
] as const;

/** A turn, or the conversation, for somebody who has no simulator at hand: as a page of its own, and as the text of an issue. */
export function ShareDialog({ thread, from, authorOf, due, onClose }: ShareProps) {
  const { session } = useApp();
  const conversation = session.conversationOf(thread.id);
  const [hasTurn, setHasTurn] = useState(from !== null);
  const shared = useMemo(() => {
    const message = from ?? conversation?.messages.peek().at(-1)?.id ?? null;
    const what = { thread, from: hasTurn ? message : null, authorOf, due };
    return conversation && sharedOf(session, conversation, what);
  }, [session, conversation, thread.id, from, hasTurn]);
  if (shared === undefined) return null;
  const text = markdownOf(shared);
  return (
    <Dialog title="Share" onClose={onClose} wide>
      <p class="muted">
        Messages, webhooks, calls and payloads with masked secrets, and the test that repeats them. The HTML
        file opens without a server.
      </p>
      <fieldset class="segments">
        <legend class="visually-hidden">What to share</legend>
        {SCOPES.map(([name, isTurn]) => (
          <label key={name}>
            <input
              type="radio"
              name="scope"
              checked={isTurn === hasTurn}
              onChange={() => setHasTurn(isTurn)}
            />
            <span>{isTurn && from === null ? "Latest turn" : name}</span>
          </label>
        ))}
      </fieldset>
      <textarea class="mono tall" aria-label="Text for an issue" spellcheck={false} readOnly value={text} />
      <div class="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <CopyButton text={text} label="Copy text for an issue" />
        <button
          type="button"
          class="primary"
          onClick={() => download(`thread-${thread.id}.html`, htmlOf(shared))}
        >
          Download HTML
        </button>
      </div>
    </Dialog>
  );
}

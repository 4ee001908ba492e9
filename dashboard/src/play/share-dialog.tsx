import { useEffect, useMemo, useState } from "preact/hooks";
import { dueNow } from "../conversation/due";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";
import type { Conversation } from "../model/conversation";
import { recordingOf } from "../model/recording";
import type { Session } from "../model/session";
import type { Message, Thread } from "../model/types";
import { Button } from "../parts/button";
import { CopyButton } from "../parts/copy-button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { ErrorText } from "../parts/empty";
import type { Turn } from "../story/turns";
import { htmlOf } from "./share-html";
import { markdownOf } from "./share-markdown";
import { partsOf, type Shared } from "./shared";
import { vitestOf } from "./test-text";

interface Props {
  readonly thread: Thread;
  /** A message of the turn; null for the whole conversation. */
  readonly from: string | null;
  readonly onClose: () => void;
}

const holds = ({ steps }: Turn, id: string | null): boolean =>
  steps.some((step) => step.kind === "message" && step.message.id === id);

/** Why a reply is due; empty where none is. */
function dueText(session: Session, conversation: Conversation): string {
  const { since = "", text = "", fix = "" } = dueNow(session, conversation) ?? {};
  return `${since} ${text} ${fix}`.trim();
}

/** The turns to share, and whether a reply is due at their end. */
function turnsOf(conversation: Conversation, from: string | null) {
  const all = conversation.turns.peek();
  const turns = from === null ? all : all.filter((turn) => holds(turn, from));
  return { turns, isDue: conversation.due.peek() !== null && turns.at(-1) === all.at(-1), all };
}

const messagesOf = (turns: readonly Turn[]): Message[] =>
  turns.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === "message" ? [step.message] : [])));

/** The test of these turns, without the fixture; empty if all their messages come from the fixture. */
async function testOf(session: Session, conversation: Conversation, from: string | null): Promise<string> {
  const { turns, isDue, all } = turnsOf(conversation, from);
  const [first] = messagesOf(turns);
  const [next] = messagesOf(all.slice(all.indexOf(turns.at(-1) as Turn) + 1));
  if (!messagesOf(turns).some(({ id }) => session.causes.writerOf(id) !== undefined)) return "";
  const part = { from: first?.id ?? null, until: next?.id, isDue };
  const recording = await recordingOf(session, conversation.threadId, part);
  const { fixtures: _, ...scenario } = recording.scenario;
  return vitestOf(session, { ...recording, scenario });
}

function sharedOf(
  session: Session,
  conversation: Conversation,
  { thread, from }: Omit<Props, "onClose">,
): Omit<Shared, "test"> {
  const { tables, sandbox, clock } = session;
  const { turns, isDue } = turnsOf(conversation, from);
  const business = tables.businesses.get(thread.businessId)?.name ?? thread.businessId;
  const where = `thread ${thread.id}, ${thread.channel}, ${thread.status}, sandbox ${sandbox}`;
  return {
    title: `${tables.customerName(thread)} and ${business}`,
    facts: `messaging-sim: ${where}, ${isoTime(clock.now())} by the sandbox's clock`,
    turns: turns.map((turn) => partsOf(turn, (message) => tables.authorName(message, thread))),
    due: isDue ? dueText(session, conversation) : "",
  };
}

const SCOPES = [
  ["This turn", true],
  ["Conversation", false],
] as const;

/** A turn, or the conversation, for somebody who has no simulator at hand: as a page of its own, and as the text of an issue. */
export default function ShareDialog({ thread, from, onClose }: Props) {
  const { session } = useApp();
  const conversation = session.conversationOf(thread.id);
  const [hasTurn, setHasTurn] = useState(from !== null);
  const [test, setTest] = useState("");
  const action = useAction();
  const start = hasTurn ? (from ?? conversation?.messages.peek().at(-1)?.id ?? null) : null;
  const told = useMemo(
    () => conversation && sharedOf(session, conversation, { thread, from: start }),
    [session, conversation, thread.id, start],
  );
  useEffect(() => {
    setTest("");
    void action.run(async () => setTest(conversation ? await testOf(session, conversation, start) : ""));
  }, [session, conversation, start]);
  if (told === undefined) return null;
  const shared = { ...told, test };
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
      <ErrorText text={action.error} />
      <textarea
        class="mono tall"
        aria-label="Text for an issue"
        aria-busy={action.busy}
        spellcheck={false}
        readOnly
        value={text}
      />
      <DialogFoot onClose={onClose}>
        <CopyButton text={text} label="Copy text for an issue" />
        <Button class="primary" onClick={() => download(`thread-${thread.id}.html`, htmlOf(shared))}>
          Download HTML
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

import { useEffect, useRef, useState } from "preact/hooks";
import { PingButton } from "../inspector/ping-button";
import { ReplayButton } from "../inspector/replay-button";
import { useApp, useOpenItem } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import type { Conversation } from "../model/conversation";
import type { NoReply, Thread } from "../model/types";
import { Button } from "../parts/button";

/** The causes that may be none yet: a call may come in a moment. They are told after this time, ms. */
const SILENT = ["waiting", "no-call", "no-event", "call-open"];
const SILENCE_MS = 2_000;

/** Above the composers, in sight wherever the conversation is scrolled to: why the customer has no reply. */
export function WhyNoReply({ thread }: { thread: Thread }) {
  const conversation = useApp().session.conversationOf(thread.id);
  if (conversation?.state.value !== "ready") return null;
  // An answer about an earlier question says nothing of this one.
  return <Reason key={conversation.due.value?.id ?? "none"} conversation={conversation} />;
}

/** So many messages in a row that are not the customer's may be replies to one another. */
const MANY = 10;

/** What the server says of a conversation, if it may have something to say: asked at each change, and each second while a reply is due. */
function useDiagnosis({ threadId, due, messages }: Conversation): NoReply | null {
  const { transport, requests, deliveries, tables, faults } = useApp().session;
  const [answer, setAnswer] = useState<NoReply | null>(null);
  const isDue = due.value !== null;
  const newest = messages.value.slice(-MANY);
  const isAsked = isDue || (newest.length === MANY && newest.every(({ fromCustomer }) => !fromCustomer));
  const seconds = useTick(isDue);
  const asking = useRef({ isUnderWay: false, isMissed: false });
  const ask = () => {
    const { current } = asking;
    current.isMissed = current.isUnderWay;
    if (current.isUnderWay) return;
    current.isUnderWay = true;
    transport
      .call<NoReply>("GET", `/threads/${threadId}/why`)
      .then(setAnswer, () => {})
      .finally(() => {
        current.isUnderWay = false;
        if (current.isMissed) ask();
      });
  };
  useEffect(() => {
    if (isAsked) ask();
  }, [isAsked, seconds, requests.entries, deliveries.entries, tables.webhooks.records, faults.value]);
  return isAsked ? answer : null;
}

function Reason({ conversation }: { conversation: Conversation }) {
  const { session } = useApp();
  const open = useOpenItem();
  const due = conversation.due.value;
  const why = useDiagnosis(conversation);
  const elapsed = due === null ? undefined : conversation.dueFor(due);
  const ms = elapsed?.ms ?? Number.POSITIVE_INFINITY;
  const [isSilence, setSilence] = useState(ms >= SILENCE_MS);
  useEffect(() => {
    const timer = setTimeout(() => setSilence(true), SILENCE_MS - ms);
    return () => clearTimeout(timer);
  }, []);
  if (why?.text === undefined || (due === null && why.cause !== "self-reply")) return null;
  if (SILENT.includes(why.cause) && !isSilence) return null;
  const since = elapsed === undefined || ms < 1_000 ? "No reply yet." : `No reply for ${longMs(ms - 999)}.`;
  const { text, remedy, entry } = why;
  const delivery = entry === undefined ? undefined : session.deliveries.get(entry);
  return (
    <div class="due">
      <p role="timer" aria-label="Answer due">
        {due === null ? null : <b>{since}</b>} {text}
        {remedy === undefined ? null : <span class="muted"> {remedy}</span>}
      </p>
      <p class="visually-hidden" role="status">
        {text}
      </p>
      <div class="row">
        {entry === undefined ? null : (
          <Button class="small" onClick={() => open(entry)}>
            Open {entry}
          </Button>
        )}
        {delivery === undefined || delivery.status === "pending" ? null : (
          <ReplayButton delivery={delivery} />
        )}
        {delivery === undefined ? null : <PingButton hookId={delivery.hookId} label="Ping" />}
      </div>
    </div>
  );
}

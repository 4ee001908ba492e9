import { useEffect } from "preact/hooks";
import { type Surroundings, tokenProblem, type Why, whyUnanswered } from "../../../src/client/unanswered.js";
import { PingButton } from "../inspector/ping-button";
import { ReplayButton } from "../inspector/replay-button";
import { useApp, useOpenItem } from "../lib/context";
import { longMs } from "../lib/format";
import { useTick } from "../lib/tick";
import type { Conversation } from "../model/conversation";
import type { Session } from "../model/session";
import { Button } from "../parts/button";
import { requestRank } from "../story/control-note";
import { entriesOf } from "../story/turns";

/** An answer that is due for less is not spoken of, ms. */
const SHOWN_MS = 1_000;

/** How long an answer has been due, and why; null where none is due, or for a moment only. */
function dueNow(session: Session, conversation: Conversation): (Why & { readonly since: string }) | null {
  const due = conversation.due.value;
  if (due === null) return null;
  const elapsed = conversation.dueFor(due.message);
  if (elapsed !== undefined && elapsed.ms < SHOWN_MS) return null;
  const since = elapsed === undefined ? "No reply yet." : `No reply for ${longMs(elapsed.ms - 999)}.`;
  return { since, ...whyUnanswered(entriesOf(due), aroundOf(session, conversation)) };
}

function aroundOf(session: Session, { threadId }: Conversation): Surroundings {
  const { tables, requests, deliveries, controls } = session;
  const own = tables.threads.get(threadId);
  const organizationOf = (businessId: string | undefined) =>
    tables.businesses.get(businessId ?? "")?.organizationId;
  const organization = organizationOf(own?.businessId);
  const apiKey = session.apiKey(own);
  return {
    webhooks: [...tables.webhooks.records.values()].filter(
      ({ organizationId }) => organizationId === organization,
    ),
    organization: tables.organizations.get(organization ?? "")?.name ?? "The organization",
    faults: session.faults.value,
    requests: requests.entries,
    deliveries: deliveries.entries,
    rankOf: (cause) => (cause?.startsWith("r") ? requestRank(cause) : controls.get(cause ?? "")?.rank),
    customerOf: (id) => {
      const thread = tables.threads.get(id);
      return thread && tables.customerName(thread);
    },
    tokenProblem: (key) => {
      const token = tables.tokens.get(session.tokenOf(key ?? ""));
      const theirs = organizationOf(tables.users.get(token?.userId ?? "")?.businessIds[0]);
      const owner = theirs === organization ? undefined : tables.organizations.get(theirs ?? "")?.name;
      return tokenProblem(key, token === undefined ? null : owner, apiKey);
    },
    apiKey,
    openFor: ({ id }) => {
      const ms = performance.now() - (deliveries.arrivalOf(id) ?? Number.NEGATIVE_INFINITY);
      return Number.isFinite(ms) ? ms : undefined;
    },
    inOrder: session.behaviourValue("delivery.order") === "perWebhook",
    timeoutMs: session.behaviourValue("delivery.timeoutMs"),
    stray: session.strayCalls.found.value,
  };
}

/** What is to be said at the end of a conversation: that an answer is due, or that a bot may be answering itself. */
export function LastLine({ conversation }: { conversation: Conversation }) {
  const count = conversation.selfAnswers.value;
  if (conversation.due.value !== null || count === undefined) return <DueLine conversation={conversation} />;
  const isAll = conversation.earlier.value > 0 && count === conversation.messages.value.length;
  return (
    <p class="due card">
      <span>
        <b>
          {isAll ? "More than " : ""}
          {count.toLocaleString("en")} messages in a row from your side
        </b>
        : does your bot reply to its own messages? It receives them as events with fromCustomer: false.
      </span>
    </p>
  );
}

/** Says that an answer is due, for how long, and what stands in its way. */
function DueLine({ conversation }: { conversation: Conversation }) {
  const { session } = useApp();
  const open = useOpenItem();
  useTick(true);
  const due = dueNow(session, conversation);
  const unheard = due?.unheard;
  useEffect(() => {
    if (unheard !== undefined) session.strayCalls.look(unheard).catch(() => {});
  });
  if (due === null) return <div class="due" />;
  const { since, text, fix, item } = due;
  const delivery = item === undefined ? undefined : session.deliveries.get(item);
  return (
    <div class="due card">
      <p role="timer" aria-label="Answer due">
        <b>{since}</b> {text}
      </p>
      {fix === undefined ? null : <p class="muted">{fix}</p>}
      <p class="visually-hidden" role="status">
        {text}
      </p>
      <div class="row">
        {item === undefined ? null : (
          <Button class="small" onClick={() => open(item)}>
            Open {item}
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

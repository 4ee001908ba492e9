import { useEffect, useMemo, useState } from "preact/hooks";
import { useApp, useOpenItem } from "../lib/context";
import { errorMessage } from "../lib/control";
import { isoTime, plural } from "../lib/format";
import { deliveryTime, threadOfRequest } from "../model/entries";
import { operationName, requestOutcome } from "../model/outcome";
import type { Findable } from "../model/query";
import { ofDelivery, ofMessage, ofRequest, queryOf } from "../model/query";
import type { Session } from "../model/session";
import type { Message } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Dialog } from "../parts/dialog";
import { ErrorText } from "../parts/empty";
import { Completions } from "./completions";

/** So many of the newest messages are searched. */
const MESSAGES = 5_000;

/** Something that was found, with what opens it. */
interface Found extends Findable {
  readonly kind: "message" | "call" | "delivery";
  readonly id: string;
  readonly title: string;
}

/** Finds messages of all threads, calls and deliveries. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const { session, navigate } = useApp();
  const openItem = useOpenItem();
  const [search, setSearch] = useState("");
  const { messages, error } = useMessages(session);
  const all = useMemo(
    () => entriesOf(session, messages),
    [session, messages, session.requests.entries, session.deliveries.entries],
  );
  const found = useMemo(() => {
    const query = queryOf(search);
    const now = session.clock.now();
    return search.trim() === "" ? [] : all.filter((one) => query(one, now));
  }, [all, search, session]);
  const open = ({ kind, id, thread }: Found) => {
    onClose();
    if (kind === "message") navigate({ thread });
    else openItem(id);
  };
  return (
    <Dialog title="Search" onClose={onClose} wide>
      <input
        type="search"
        autofocus
        dir="auto"
        aria-label="Search messages and logs"
        placeholder="Words, or status:4xx thread:9001 operation:send after:10m"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Completions search={search} onChoose={setSearch} />
      <ErrorText text={error} />
      <p class="muted" role="status">
        {search.trim() === ""
          ? `Searches ${plural(messages.length, "message")}, ${plural(session.requests.entries.length, "call")} and ${plural(session.deliveries.entries.length, "delivery", "deliveries")}.`
          : `${plural(found.length, "result")}, newest first`}
      </p>
      <ul class="found" aria-label="Results">
        <Bounded items={found} step={50}>
          {(one) => (
            <li key={`${one.kind} ${one.id}`}>
              <button type="button" class="ghost found-row" onClick={() => open(one)}>
                <span class="found-kind">{one.kind}</span>
                <span class="ellipsis grow" dir="auto">
                  {one.title}
                </span>
                <span class="muted small-text">{isoTime(one.at).slice(0, 19).replace("T", " ")}</span>
              </button>
            </li>
          )}
        </Bounded>
      </ul>
      <div class="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The newest messages of all threads. */
function useMessages({ transport }: Session): { messages: readonly Message[]; error: string } {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [error, setError] = useState("");
  useEffect(() => {
    const query = { _sort: "-timestamp", _page: 1, _per_page: MESSAGES };
    transport.call<{ readonly data: readonly Message[] }>("GET", "/data/messages", { query }).then(
      ({ data }) => setMessages(data),
      (thrown) => setError(errorMessage(thrown)),
    );
  }, [transport]);
  return { messages, error };
}

/** All that can be found, the newest first. */
function entriesOf(session: Session, messages: readonly Message[]): Found[] {
  const { tables, requests, deliveries } = session;
  const nameOf = (id: string | null): string => {
    const thread = tables.threads.get(id ?? "");
    return thread === undefined ? "" : tables.customerName(thread);
  };
  const found = [
    ...messages.map((message): Found => {
      const title = `${nameOf(message.threadId)}: ${message.text || message.attachment?.name || ""}`;
      return { ...ofMessage(message), text: title, kind: "message", id: message.id, title };
    }),
    ...requests.entries.map((one): Found => {
      const thread = threadOfRequest(one);
      const name = one.operation === null ? `${one.method} ${one.path}` : operationName(one.operation);
      const title = `${name}${thread === null ? "" : ` → ${nameOf(thread)}`} · ${requestOutcome(one).description}`;
      const text = `${one.id} ${title} ${one.path} ${JSON.stringify([one.body, one.response])}`;
      return { ...ofRequest(one, thread, text), kind: "call", id: one.id, title };
    }),
    ...deliveries.entries.map((one): Found => {
      const title = `${one.eventType} to ${one.hookId}, ${nameOf(one.threadId)} · ${one.status}`;
      const text = `${one.id} ${title} ${JSON.stringify([one.body, one.attempts])}`;
      return { ...ofDelivery(one, deliveryTime(one), text), kind: "delivery", id: one.id, title };
    }),
  ];
  return found.sort((one, other) => other.at - one.at);
}

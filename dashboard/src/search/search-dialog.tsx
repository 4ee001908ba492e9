import { useEffect, useMemo, useState } from "preact/hooks";
import { useApp, useOpenItem } from "../lib/context";
import { errorMessage } from "../lib/control";
import { isoTime, plural } from "../lib/format";
import { MESSAGE } from "../lib/route";
import { deliveryTime, threadOfRequest } from "../model/entries";
import { operationName, requestOutcome } from "../model/outcome";
import {
  completionsOf,
  type Findable,
  longestWord,
  ofDelivery,
  ofMessage,
  ofRequest,
  queryOf,
} from "../model/query";
import type { Session } from "../model/session";
import type { Message } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { ErrorText } from "../parts/empty";

/** How many of the newest messages the page searches; the server finds older ones by a word of their text. */
const MESSAGES = 5_000;
/** How long typing must pause before the server is asked, ms. */
const TYPING_MS = 200;

/** Something that was found, with what opens it. */
interface Found extends Findable {
  readonly kind: "message" | "call" | "delivery";
  readonly id: string;
  readonly title: string;
}

/** Finds messages of all threads, calls and deliveries. */
export default function SearchDialog({ onClose }: { onClose: () => void }) {
  const { session, route, navigate } = useApp();
  const openItem = useOpenItem();
  const [search, setSearch] = useState("");
  const { messages, count, busy, error } = useMessages(session, search);
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
    if (kind === "message") navigate({ thread, item: null, filters: { ...route.filters, [MESSAGE]: id } });
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
          ? `Searches ${plural(count, "message")}, ${plural(session.requests.entries.length, "call")} and ${plural(session.deliveries.entries.length, "delivery", "deliveries")}.`
          : busy && found.length === 0
            ? "Searching older messages…"
            : `${plural(found.length, "result")}, newest first`}
      </p>
      <ul class="found" aria-label="Results">
        <Bounded items={found} step={50}>
          {(one) => (
            <li key={`${one.kind} ${one.id}`}>
              <Button class="ghost found-row" onClick={() => open(one)}>
                <span class="found-kind">{one.kind}</span>
                <span class="ellipsis grow" dir="auto">
                  {one.title}
                </span>
                <span class="muted small-text">{isoTime(one.at).slice(0, 19).replace("T", " ")}</span>
              </Button>
            </li>
          )}
        </Bounded>
      </ul>
      <DialogFoot onClose={onClose} />
    </Dialog>
  );
}

/** The messages of all threads, as the server lists them. */
interface Page {
  readonly items: number;
  readonly data: readonly Message[];
}

/** The newest messages of all threads, older ones with a word of the search, and how many there are in all. */
function useMessages({ transport }: Session, search: string) {
  const [newest, setNewest] = useState<Page>({ items: 0, data: [] });
  const [older, setOlder] = useState<{ word: string; data: Page["data"] }>({ word: "", data: [] });
  const [error, setError] = useState("");
  const word = longestWord(search);
  const read = (query: object, then: (page: Page) => void) =>
    transport
      .call<Page>("GET", "/data/messages", {
        query: { _sort: "-timestamp", _page: 1, _per_page: MESSAGES, ...query },
      })
      .then(then, (thrown) => setError(errorMessage(thrown)));
  useEffect(() => void read({}, setNewest), [transport]);
  const busy = newest.items > MESSAGES && word !== "" && older.word !== word;
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(
      () => read({ "text:contains": word }, ({ data }) => setOlder({ word, data })),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [busy, word]);
  const messages = useMemo(() => {
    const known = new Set(newest.data.map(({ id }) => id));
    return [...newest.data, ...older.data.filter(({ id }) => !known.has(id))];
  }, [newest, older]);
  return { messages, count: newest.items, busy, error };
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

/** Terms that complete a search: one press each. */
function Completions({ search, onChoose }: { search: string; onChoose: (search: string) => void }) {
  const { session, route } = useApp();
  const { requests, deliveries, tables } = session;
  const operations = requests.entries.flatMap(({ operation }) => operation ?? []);
  const known = {
    status: ["4xx", "5xx", "failed", "2xx"],
    thread: [...(route.thread === null ? [] : [route.thread]), ...tables.threads.records.keys()],
    operation: [...operations, ...deliveries.entries.map(({ eventType }) => eventType)],
  };
  return (
    <div class="row completions" role="group" aria-label="Completions">
      {completionsOf(search, known).map(({ term, search: completed }) => (
        <Button key={term} class="small completion" onClick={() => onChoose(completed)}>
          {term}
        </Button>
      ))}
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useInvitation } from "./connect/invitation";
import { Inspector } from "./inspector/inspector";
import { CONTROL } from "./lib/address";
import { BANNER, useApp } from "./lib/context";
import { longMs } from "./lib/format";
import { lazy } from "./lib/lazy";
import { isPhone, showPart } from "./lib/phone";
import { useShortcuts } from "./lib/shortcuts";
import { useTick } from "./lib/tick";
import { Button } from "./parts/button";
import { ShortcutsDialog } from "./parts/dialogs";
import { Empty, Loading } from "./parts/empty";
import { Icon } from "./parts/icon";
import { TopBar } from "./parts/top-bar";
import { ThreadList } from "./threads/thread-list";

const loadThreadView = () => import("./conversation/thread-view");
const ThreadView = lazy("the conversation", loadThreadView);
const ConnectView = lazy("the connection", () => import("./connect/connect-panel"));

/** The page: bar on top, threads, the open conversation, and beside it what happened; `notices` have a place of their own. */
export function Shell({ notices }: { notices: ComponentChildren }) {
  const { route } = useApp();
  const [sheet, closeSheet] = useShortcuts();
  const place = usePlace();
  return (
    <div class="shell">
      <nav class="skip-links" aria-label="Views">
        {PLACES.map(([id, name]) => (
          <a key={id} href={`#${id}`} aria-current={id === place ? "location" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Title />
      <TopBar />
      <ConnectionBanner />
      <Parts key={route.sandbox} />
      {notices}
      {sheet ? <ShortcutsDialog onClose={closeSheet} /> : null}
    </div>
  );
}

/** Names the tab of the browser: unread messages, whose conversation is open, and the sandbox. */
function Title() {
  const { session, route } = useApp();
  const { tables, activity } = session;
  const thread = tables.threads.get(route.thread ?? "");
  const name = thread === undefined ? [] : [tables.customerName(thread)];
  const unread = activity.unread === 0 ? "" : `(${activity.unread}) `;
  const title = `${unread}${[...name, session.sandbox, "messaging-sim"].join(" · ")}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}

/** The parts of the page, by their ids. */
const PLACES = [
  ["threads", "Threads"],
  ["conversation", "Conversation"],
  ["inspector", "Log"],
] as const;

/** The part that a phone shows; null where all are in sight. */
function usePlace(): string | null {
  const [place, setPlace] = useState<string | null>(null);
  const isLoaded = useApp().session.loaded.value;
  useEffect(() => {
    const look = () => {
      if (!isPhone()) return setPlace(null);
      const isNext = ([id]: readonly [string, string]) =>
        (document.getElementById(id)?.getBoundingClientRect().left ?? innerWidth) < innerWidth / 2;
      setPlace(PLACES.findLast(isNext)?.[0] ?? null);
    };
    look();
    const ended = new AbortController();
    for (const event of ["scroll", "resize"])
      addEventListener(event, look, { capture: true, passive: true, signal: ended.signal });
    return () => ended.abort();
  }, [isLoaded]);
  return place;
}

/** What is shown of the sandbox, made anew for another one. */
function Parts() {
  const { session, route } = useApp();
  const isLoaded = session.loaded.value;
  const isLive = session.connection.value.state === "live";
  useShownPart(isLoaded);
  useInvitation();
  // Once all else is there, what the next click needs.
  useEffect(() => {
    if (isLive) loadThreadView().catch(() => {});
  }, [isLive]);
  return isLoaded ? (
    <>
      <ThreadList />
      <main class="middle" id="conversation" tabIndex={-1}>
        {session.connecting.value ? (
          <ConnectView />
        ) : route.thread === null ? (
          <NoThread />
        ) : (
          <ThreadView key={route.thread} id={route.thread} />
        )}
      </main>
      <Inspector />
    </>
  ) : (
    // A part of its own: the conversation would move over from its place.
    <main key="alone" class="middle alone">
      {session.connection.value.state === "connecting" ? <Loading what="the sandbox" /> : null}
    </main>
  );
}

/** Brings the part into sight, on a phone, in which something was opened: the conversation of a thread, or a log. */
function useShownPart(isLoaded: boolean): void {
  const { thread, tab, item } = useApp().route;
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (!isLoaded) return;
    const opened = `${tab} ${item}`;
    const isLog = before.current !== null && before.current !== opened;
    before.current = opened;
    if (isLog) showPart("inspector");
    else if (thread !== null) showPart("conversation");
  }, [isLoaded, thread, tab, item]);
}

/** Shown where no thread is open. */
const NoThread = () => (
  <div class="thread-view blank">
    <Empty title="Choose a thread">
      Open a conversation on the left, write as its customer, and watch your bot's response.
    </Empty>
  </div>
);

const SERVER = `${location.host}${CONTROL === "/__sim" ? "" : CONTROL}`;

/** Says that the page is not connected, and when it tries again. */
function ConnectionBanner() {
  const { session, sync, navigate } = useApp();
  const connection = session.connection.value;
  const disconnected = "error" in connection;
  useTick(disconnected, 500);
  if (!disconnected) return null;
  const left = connection.retryAt - performance.now();
  return (
    <div class="banner" id={BANNER} role="alert">
      <Icon name="warn" />
      {connection.state === "gone" ? (
        <span>{connection.error}</span>
      ) : connection.state === "failed" ? (
        <span>The simulator refused: {connection.error}</span>
      ) : (
        <span>
          The simulator at <strong>{SERVER}</strong> does not respond. This page may be out of date.
        </span>
      )}
      <span class="muted" aria-hidden="true">
        {left > 300 ? `Next attempt in ${longMs(left)}` : "Trying…"}
      </span>
      {connection.state === "gone" && session.sandbox !== "default" ? (
        <Button class="small" onClick={() => navigate({ sandbox: "default", thread: null, item: null })}>
          Go to default
        </Button>
      ) : null}
      <Button class="small" onClick={() => sync.retry()}>
        Retry now
      </Button>
    </div>
  );
}

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Access } from "./lib/access";
import { AppContext } from "./lib/context";
import { parseRoute, type Route, routeSearch } from "./lib/route";
import { forgetRun } from "./model/run-scenario";
import { Runs } from "./model/runs";
import { Session } from "./model/session";
import { Sync } from "./model/sync";
import { Undos } from "./model/undo";
import { TokenDialog } from "./parts/dialogs";
import { Shell } from "./shell";

/** Holds what lives as long as the page: route, access, and the session of the sandbox that is shown. */
export function Root() {
  const [route, setRoute] = useState(() => parseRoute(location.search));
  const [access] = useState(() => new Access());
  const [runs] = useState(() => new Runs());
  const { notices, notify } = useNotices();
  const [undos] = useState(() => new Undos(notify));
  const { session, sync } = useMemo(() => {
    const made = new Session(access, route.sandbox, runs, undos);
    return { session: made, sync: new Sync(made, notify) };
  }, [access, route.sandbox, runs, undos, notify]);

  useEffect(() => {
    const onBack = () => setRoute(parseRoute(location.search));
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  useEffect(() => session.open(route.thread), [session, route.thread]);
  useEffect(() => {
    void sync.run();
    return () => {
      sync.close();
      if (runs.kept === session.sandbox) void forgetRun(session);
    };
  }, [session, sync, runs]);

  const navigate = useCallback((to: Partial<Route>, { replace = false } = {}) => {
    const next: { -readonly [K in keyof Route]: Route[K] } = { ...parseRoute(location.search), ...to };
    if (next.item === null) next.run = null;
    const search = routeSearch(next);
    if (search !== location.search) history[replace ? "replaceState" : "pushState"](null, "", search);
    setRoute(next);
  }, []);
  const app = useMemo(
    () => ({ session, sync, route, navigate, notify }),
    [session, sync, route, navigate, notify],
  );
  const prompt = access.prompt.value;

  return (
    <AppContext.Provider value={app}>
      <Shell notices={<Notices notices={notices} />} />
      {prompt === null ? null : (
        <TokenDialog refused={prompt.refused} onAnswer={(token) => access.answer(token)} />
      )}
    </AppContext.Provider>
  );
}

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
  /** When there was time to read it, ms of the page. */
  readonly until: number;
}

/** Who looked elsewhere still finds a notice: after this time it goes as soon as somebody is there, not before. */
const NOTICE_MS = { good: 3_000, bad: 8_000 };
const PRESENCE = ["pointermove", "pointerdown", "keydown"] as const;

/** The notices that are shown, and the function that shows another one. */
function useNotices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const notify = useCallback((text: string, tone: Notice["tone"] = "good") => {
    const now = performance.now();
    const notice = { id: now + Math.random(), text, tone, until: now + NOTICE_MS[tone] };
    setNotices((old) => [...old.slice(-2), notice]);
  }, []);
  useEffect(() => {
    const ended = new AbortController();
    const onPresence = () => {
      const isLeft = ({ until }: Notice) => until > performance.now();
      setNotices((old) => (old.every(isLeft) ? old : old.filter(isLeft)));
    };
    for (const type of PRESENCE) addEventListener(type, onPresence, { capture: true, signal: ended.signal });
    return () => ended.abort();
  }, []);
  return { notices, notify };
}

/** Short messages. */
const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <div class="notices" role="status">
    {notices.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);

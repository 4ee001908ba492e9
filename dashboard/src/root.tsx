import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Access } from "./lib/access";
import { AppContext } from "./lib/context";
import type { Route } from "./lib/route";
import { parseRoute, routeSearch } from "./lib/route";
import { Runs } from "./model/runs";
import { Session } from "./model/session";
import { Sync } from "./model/sync";
import { Undos } from "./model/undo";
import type { Notice } from "./parts/notices";
import { Notices } from "./parts/notices";
import { TokenDialog } from "./parts/token-dialog";
import { Shell } from "./shell";

/** Who looked elsewhere still finds a notice: after this time it goes with the next key or click, not before. */
const NOTICE_MS = { good: 3_000, bad: 8_000 };

/** Holds what lives as long as the page: route, access, and the session of the sandbox that is shown. */
export function Root() {
  const [route, setRoute] = useState(() => parseRoute(location.search));
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const [access] = useState(() => new Access());
  const [runs] = useState(() => new Runs());
  const [undos] = useState(() => new Undos());
  const notify = useCallback((text: string, tone: "good" | "bad" = "good") => {
    const now = performance.now();
    const notice = { id: now + Math.random(), text, tone, until: now + NOTICE_MS[tone] };
    setNotices((old) => [...old.slice(-2), notice]);
  }, []);
  const { session, sync } = useMemo(() => {
    const made = new Session(access, route.sandbox, runs, undos);
    return { session: made, sync: new Sync(made, notify) };
  }, [access, route.sandbox, runs, undos, notify]);

  useEffect(() => {
    const onBack = () => setRoute(parseRoute(location.search));
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  useEffect(() => {
    const isSeen = ({ until }: Notice) => until <= performance.now();
    const onAct = () => setNotices((old) => (old.some(isSeen) ? old.filter((one) => !isSeen(one)) : old));
    addEventListener("pointerdown", onAct, true);
    addEventListener("keydown", onAct, true);
    return () => {
      removeEventListener("pointerdown", onAct, true);
      removeEventListener("keydown", onAct, true);
    };
  }, []);
  useEffect(() => session.open(route.thread), [session, route.thread]);
  useEffect(() => {
    void sync.run();
    return () => sync.close();
  }, [session, sync]);

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
      <Shell />
      <Notices notices={notices} />
      {prompt === null ? null : (
        <TokenDialog refused={prompt.refused} onAnswer={(token) => access.answer(token)} />
      )}
    </AppContext.Provider>
  );
}

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Access } from "./lib/access";
import { AppContext } from "./lib/context";
import type { Route } from "./lib/route";
import { openThreads, parseRoute, routeSearch } from "./lib/route";
import { forgetRun } from "./model/forget-run";
import { Runs } from "./model/runs";
import { Session } from "./model/session";
import { Sync } from "./model/sync";
import { Undos } from "./model/undo";
import { TokenDialog } from "./parts/dialogs";
import { Notices, useNotices } from "./parts/notices";
import { Shell } from "./shell";

/** Holds what lives as long as the page: route, access, and the session of the sandbox that is shown. */
export function Root() {
  const [route, setRoute] = useState(() => parseRoute(location.search));
  const [access] = useState(() => new Access());
  const [runs] = useState(() => new Runs());
  const [undos] = useState(() => new Undos());
  const { notices, notify } = useNotices();
  const { session, sync } = useMemo(() => {
    const made = new Session(access, route.sandbox, runs, undos);
    return { session: made, sync: new Sync(made, notify) };
  }, [access, route.sandbox, runs, undos, notify]);

  useEffect(() => {
    const onBack = () => setRoute(parseRoute(location.search));
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const open = openThreads(route);
  useEffect(() => session.open(open), [session, open.join()]);
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

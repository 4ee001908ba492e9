import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Access } from "./lib/access";
import type { Place } from "./lib/address";
import { placeOf, searchOf } from "./lib/address";
import { Api } from "./lib/api";
import { AppContext } from "./lib/context";
import { Session } from "./model/session";
import { Sync } from "./model/sync";
import type { Notice } from "./parts/notices";
import { Notices } from "./parts/notices";
import { TokenDialog } from "./parts/token-dialog";
import { Shell } from "./shell";

const REFRESH_MS = 10_000;

/** Holds what lives as long as the page: address, access, and the session of the sandbox that is shown. */
export function Root() {
  const [place, setPlace] = useState(() => placeOf(location.search));
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const [access] = useState(() => new Access());
  const [asking, setAsking] = useState(access.asking);
  const { session, sync } = useMemo(() => {
    const made = new Session(new Api(access, place.sandbox));
    return { session: made, sync: new Sync(made) };
  }, [access, place.sandbox]);

  useEffect(() => access.onChange(() => setAsking(access.asking)), [access]);
  useEffect(() => {
    const back = () => setPlace(placeOf(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => session.open(place.thread), [session, place.thread]);
  useEffect(() => {
    void sync.run();
    const timer = setInterval(() => {
      if (!document.hidden && session.connection === "live") sync.refresh().catch(() => {});
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
      sync.close();
    };
  }, [session, sync]);

  const go = useCallback((to: Partial<Place>, { replace = false } = {}) => {
    const next = { ...placeOf(location.search), ...to };
    const search = searchOf(next);
    if (search !== location.search) history[replace ? "replaceState" : "pushState"](null, "", search);
    setPlace(next);
  }, []);
  const say = useCallback((text: string, tone: "good" | "bad" = "good") => {
    const notice = { id: performance.now() + Math.random(), text, tone };
    setNotices((old) => [...old.slice(-2), notice]);
    setTimeout(
      () => setNotices((old) => old.filter((other) => other !== notice)),
      tone === "bad" ? 8_000 : 3_000,
    );
  }, []);
  const app = useMemo(() => ({ session, sync, place, go, say }), [session, sync, place, go, say]);

  return (
    <AppContext.Provider value={app}>
      <Shell key={place.sandbox} />
      <Notices notices={notices} />
      {asking === null ? null : (
        <TokenDialog refused={asking.refused} onAnswer={(token) => access.answer(token)} />
      )}
    </AppContext.Provider>
  );
}

import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../lib/context";
import type { Session } from "../model/session";

/** Set in the browser's storage: the view to connect a bot does not open by itself. */
const DECLINED = "messaging-sim.first-run-closed";

/**
 * Opens the view to connect a bot where no thread is open and nothing has called yet, nor was told of an event. A thread that
 * is chosen takes its place.
 */
export function useInvitation(): void {
  const { session, route } = useApp();
  const { connecting, connection, firsts } = session;
  const isLive = connection.value.state === "live";
  const isNew = useRef(route.thread === null && localStorage.getItem(DECLINED) === null);
  useEffect(() => {
    if (!isLive) return;
    if (isNew.current && firsts.none) connecting.value = true;
    isNew.current = false;
  }, [isLive]);
  const thread = useRef(route.thread);
  useEffect(() => {
    if (thread.current !== route.thread) connecting.value = false;
    thread.current = route.thread;
  }, [route.thread]);
}

/** Closes the view: by itself it does not open again while nothing has called. */
export function closeConnection({ connecting, firsts }: Session): void {
  if (firsts.none) localStorage.setItem(DECLINED, "");
  connecting.value = false;
}

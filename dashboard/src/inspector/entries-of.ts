import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { LiveLog } from "../model/live-log";

/**
 * The entries of a log, rendered in a task of their own: hundreds of calls a second change the conversation too, and the
 * two together would keep the page from answering.
 */
export function useEntries<T extends { readonly id: string }>(log: LiveLog<T>): readonly T[] {
  const [shown, setShown] = useState(() => log.entries);
  useEffect(
    () =>
      effect(() => {
        const { entries } = log;
        const timer = setTimeout(() => setShown(entries));
        return () => clearTimeout(timer);
      }),
    [log],
  );
  return shown;
}

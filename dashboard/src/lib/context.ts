import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "../model/page";
import { tabOfItem } from "./route";

/** The id of the banner that says that the page is not connected. */
export const BANNER = "connection-banner";

export const AppContext = createContext<Page | null>(null);

/** The page, which every component can reach. */
export function useApp(): Page {
  const page = useContext(AppContext);
  if (page === null) throw new Error("a component stands outside of the app");
  return page;
}

/** Where a call, delivery or warning is, if not in the run of the sandbox that is shown. */
export interface Place {
  readonly sandbox: string;
  readonly run: number | null;
}

/** Opens a request, delivery or warning in its tab, and moves the focus to it. */
export function useOpenItem(): (id: string, place?: Place) => void {
  const { navigate, session, opened } = useApp();
  return (id, { sandbox, run } = { sandbox: session.sandbox, run: session.run.peek() }) => {
    opened.value = id;
    navigate({
      ...(sandbox === session.sandbox ? {} : { thread: null }),
      sandbox,
      run,
      tab: tabOfItem(id),
      item: id,
    });
  };
}

/** The id of the entry that is open; null where the address names one of another run, which had the same ids. */
export function useItem(): string | null {
  const { route, session } = useApp();
  const run = session.run.value;
  return route.run === null || route.run === run ? route.item : null;
}

/** A filter, which stands in the address, and a function that sets it; empty for none. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const { route, navigate } = useApp();
  const { filters } = route;
  const set = (value: string) => navigate({ filters: { ...filters, [name]: value } }, { replace: true });
  return [filters[name] ?? "", set];
}

/** The same for a filter that is on or off. */
export function useSwitch(name: string): [on: boolean, set: (on: boolean) => void] {
  const [value, set] = useFilter(name);
  return [value !== "", (on) => set(on ? "on" : "")];
}

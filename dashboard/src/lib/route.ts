export const TABS = [
  "requests",
  "deliveries",
  "warnings",
  "faults",
  "behaviour",
  "scenarios",
  "coverage",
] as const;
export type Tab = (typeof TABS)[number];

/** What the page shows, as its address has it. */
export interface Route {
  readonly sandbox: string;
  readonly thread: string | null;
  readonly tab: Tab;
  /** The request, delivery or warning that is open: `r1`, `d1`, `w1`. */
  readonly item: string | null;
  /** The number of the sandbox's run in which the item is; null for the one that is there. */
  readonly run: number | null;
}

/** Reads the query of an address; what it lacks gets its default. */
export function parseRoute(search: string): Route {
  const query = new URLSearchParams(search);
  return {
    sandbox: query.get("sandbox") || "default",
    thread: query.get("thread"),
    tab: TABS.find((tab) => tab === query.get("tab")) ?? "requests",
    item: query.get("item"),
    run: Number(query.get("run")) || null,
  };
}

/** The query of the route's address, with its question mark. */
export function routeSearch({ sandbox, thread, tab, item, run }: Route): string {
  const query = new URLSearchParams({ sandbox });
  if (thread !== null) query.set("thread", thread);
  query.set("tab", tab);
  if (item !== null) query.set("item", item);
  if (item !== null && run !== null) query.set("run", String(run));
  return `?${query}`;
}

/** The tab that lists an entry. */
export const tabOfItem = (id: string): Tab =>
  id.startsWith("d") ? "deliveries" : id.startsWith("w") ? "warnings" : "requests";

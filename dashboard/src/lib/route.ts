export const TABS = ["requests", "deliveries", "warnings", "faults", "behaviour", "scenarios"] as const;
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
  /** What lists are narrowed to, by the name of the filter; none that is empty. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Parameters of the address that begin so are filters: `f.requests=refused`. */
const FILTER = "f.";

/** Reads the query of an address; what it lacks gets its default. */
export function parseRoute(search: string): Route {
  const query = new URLSearchParams(search);
  return {
    sandbox: query.get("sandbox") || "default",
    thread: query.get("thread"),
    tab: TABS.find((tab) => tab === query.get("tab")) ?? "requests",
    item: query.get("item"),
    run: Number(query.get("run")) || null,
    filters: Object.fromEntries(
      [...query]
        .filter(([name, value]) => name.startsWith(FILTER) && value !== "")
        .map(([name, value]) => [name.slice(FILTER.length), value]),
    ),
  };
}

/** The query of the route's address, with its question mark. */
export function routeSearch({ sandbox, thread, tab, item, run, filters }: Route): string {
  const query = new URLSearchParams({ sandbox });
  if (thread !== null) query.set("thread", thread);
  query.set("tab", tab);
  if (item !== null) query.set("item", item);
  if (item !== null && run !== null) query.set("run", String(run));
  for (const [name, value] of Object.entries(filters)) if (value !== "") query.set(FILTER + name, value);
  return `?${query}`;
}

/** The filter that names the message to show, which a search has found. */
export const MESSAGE = "message";

/** The tab that lists an entry. */
export const tabOfItem = (id: string): Tab =>
  id.startsWith("d") ? "deliveries" : id.startsWith("w") ? "warnings" : "requests";

export const TABS = ["requests", "deliveries", "warnings", "faults", "behaviour", "scenarios"] as const;
export type Tab = (typeof TABS)[number];

/** What the page shows, as it stands in its address. */
export interface Place {
  readonly sandbox: string;
  readonly thread: string | null;
  readonly tab: Tab;
  /** The request, delivery or warning that is opened: `r1`, `d1`, `w1`. */
  readonly item: string | null;
}

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search);
  const tab = query.get("tab") as Tab;
  return {
    sandbox: query.get("sandbox") || "default",
    thread: query.get("thread"),
    tab: TABS.includes(tab) ? tab : "requests",
    item: query.get("item"),
  };
}

export function searchOf({ sandbox, thread, tab, item }: Place): string {
  const query = new URLSearchParams({ sandbox });
  if (thread !== null) query.set("thread", thread);
  query.set("tab", tab);
  if (item !== null) query.set("item", item);
  return `?${query}`;
}

/** The tab on which an entry is listed. */
export const tabOfItem = (id: string): Tab =>
  id.startsWith("d") ? "deliveries" : id.startsWith("w") ? "warnings" : "requests";

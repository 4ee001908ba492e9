import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session, Topic } from "../model/session";
import type { Sync } from "../model/sync";
import type { Place } from "./address";
import { tabOfItem } from "./address";
import { useTopics } from "./topics";

/** What every component can reach. */
export interface App {
  readonly session: Session;
  readonly sync: Sync;
  readonly place: Place;
  /** Moves to another place; the address follows. */
  go(to: Partial<Place>, how?: { readonly replace?: boolean }): void;
  /** Tells the person something that has no place of its own on the page. */
  say(text: string, tone?: "good" | "bad"): void;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("a component stands outside of the app");
  return app;
}

/** The session; the component is rendered again when one of the topics changes. */
export function useSession(...topics: Topic[]): Session {
  const { session } = useApp();
  useTopics(session.topics, ...topics);
  return session;
}

/** Opens a request, delivery or warning in its tab. */
export function useOpenItem(): (id: string) => void {
  const { go } = useApp();
  return (id) => go({ tab: tabOfItem(id), item: id });
}

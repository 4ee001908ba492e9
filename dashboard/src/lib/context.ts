import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../model/session";
import type { Sync } from "../model/sync";
import type { Route } from "./route";
import { tabOfItem } from "./route";

/** What every component can reach. */
interface App {
  readonly session: Session;
  readonly sync: Sync;
  readonly route: Route;
  /** Goes to another route; the address follows. */
  navigate(to: Partial<Route>, how?: { readonly replace?: boolean }): void;
  /** Shows a short notice. */
  notify(text: string, tone?: "good" | "bad"): void;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("a component stands outside of the app");
  return app;
}

/** Opens a request, delivery or warning in its tab. */
export function useOpenItem(): (id: string) => void {
  const { navigate } = useApp();
  return (id) => navigate({ tab: tabOfItem(id), item: id });
}

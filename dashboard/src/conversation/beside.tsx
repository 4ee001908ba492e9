import { FOLDED, useApp } from "../lib/context";
import { BESIDE, MAX_OPEN } from "../lib/route";
import type { Thread } from "../model/types";
import { Icon } from "../parts/icon";

/** The threads beside the chosen one, and a function that sets them. */
function useBeside() {
  const { route, navigate } = useApp();
  const ids = (route.filters[BESIDE] ?? "").split(",").filter((id) => id !== "");
  const set = (next: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    navigate({ filters: { ...route.filters, [BESIDE]: next.join(","), ...more } });
  return [ids, set] as const;
}

/** Keeps the conversation open beside the one that is chosen next; the inspector makes room. */
export function KeepBeside({ thread: { id, customerId } }: { thread: Thread }) {
  const { session, notify } = useApp();
  const [ids, set] = useBeside();
  const keep = () => {
    set([id, ...ids.filter((one) => one !== id)].slice(0, MAX_OPEN - 1), { [FOLDED]: "on" });
    const name = session.tables.customers.get(customerId)?.displayName ?? `Thread ${id}`;
    notify(`${name} stays open. Choose another thread`);
  };
  return (
    <button type="button" class="if-wide-screen" onClick={keep}>
      <Icon name="plus" />
      Keep open beside
    </button>
  );
}

/** Closes a conversation beside the chosen one. */
export function CloseBeside({ thread: { id } }: { thread: Thread }) {
  const [ids, set] = useBeside();
  return (
    <button
      type="button"
      class="ghost icon-only"
      aria-label={`Close thread ${id}`}
      title={`Close thread ${id}`}
      onClick={() => set(ids.filter((one) => one !== id))}
    >
      <Icon name="cross" />
    </button>
  );
}

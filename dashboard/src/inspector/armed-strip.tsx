import { useApp, useSession } from "../lib/context";
import { Icon } from "../parts/icon";
import { nameOfRule } from "./fault-words";

/** Stands above every tab while a fault is armed: nobody is to wonder why calls fail. */
export function ArmedStrip() {
  const session = useSession("faults");
  const { go, place } = useApp();
  if (session.faults.length === 0 || place.tab === "faults") return null;
  return (
    <button type="button" class="armed" onClick={() => go({ tab: "faults", item: null })}>
      <Icon name="bolt" />
      <span class="ellipsis">
        Armed:{" "}
        {session.faults
          .slice(0, 3)
          .map((rule) => `${nameOfRule(rule)} on ${rule.on} (${rule.fired} of ${rule.seen} seen)`)
          .join(" · ")}
        {session.faults.length > 3 ? ` · ${session.faults.length - 3} more` : ""}
      </span>
    </button>
  );
}

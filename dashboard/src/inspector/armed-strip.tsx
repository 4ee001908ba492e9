import { useApp } from "../lib/context";
import { ruleName } from "../model/fault-descriptions";
import { Icon } from "../parts/icon";

/** Shown above every tab while a fault is armed, because it explains why calls fail. */
export function ArmedStrip() {
  const { session, navigate, route } = useApp();
  const faults = session.armed.value;
  if (faults.length === 0 || route.tab === "faults") return null;
  return (
    <button type="button" class="armed" onClick={() => navigate({ tab: "faults", item: null })}>
      <Icon name="bolt" />
      <span class="ellipsis">
        Armed:{" "}
        {faults
          .slice(0, 3)
          .map((rule) => `${ruleName(rule)} on ${rule.on} (${rule.fired} of ${rule.seen} seen)`)
          .join(" · ")}
        {faults.length > 3 ? ` · ${faults.length - 3} more` : ""}
      </span>
    </button>
  );
}

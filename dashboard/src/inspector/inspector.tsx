import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import { TABS, type Tab } from "../lib/route";
import type { Session } from "../model/session";
import { Button } from "../parts/button";

const PANELS: Readonly<Record<Tab, readonly [name: string, panel: ComponentType]>> = {
  requests: ["Requests", lazy("the requests", () => import("./requests-panel"))],
  deliveries: ["Deliveries", lazy("the deliveries", () => import("./deliveries-panel"))],
  warnings: ["Warnings", lazy("the warnings", () => import("./warnings-panel"))],
  faults: ["Faults", lazy("the faults", () => import("./faults-panel"))],
  behaviour: ["Behaviour", lazy("the behaviour", () => import("./behaviour-panel"))],
  scenarios: ["Scenarios", lazy("the scenarios", () => import("./scenarios-panel"))],
};

/** What happened, and the settings that decide what happens: one tab each. */
export function Inspector() {
  const { route, navigate } = useApp();
  const list = useRef<HTMLDivElement>(null);
  const [, Panel] = PANELS[route.tab];
  const move = (event: KeyboardEvent) => {
    const at = TABS.indexOf(route.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    const tab = to === undefined ? undefined : TABS.at(to % TABS.length);
    if (tab === undefined) return;
    event.preventDefault();
    navigate({ tab, item: null }, { replace: true });
    list.current?.querySelector<HTMLElement>(`#tab-${tab}`)?.focus();
  };
  return (
    <aside class="inspector" id="inspector" aria-label="Log" tabIndex={-1}>
      <div ref={list} role="tablist" aria-label="Log" class="tabs" onKeyDown={move}>
        {TABS.map((tab) => (
          <Button
            key={tab}
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === route.tab}
            aria-controls={tab === route.tab ? "panel" : undefined}
            tabIndex={tab === route.tab ? 0 : -1}
            onClick={() => navigate({ tab, item: null })}
          >
            {PANELS[tab][0]}
            <Count tab={tab} />
          </Button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${route.tab}`} class="panel">
        <Panel key={route.tab} />
      </div>
    </aside>
  );
}

/** What the tabs count: warnings and failed deliveries. The badge of the top bar counts armed faults. */
const COUNTED: Readonly<Partial<Record<Tab, (session: Session) => number>>> = {
  warnings: ({ warnings }) => warnings.entries.length,
  deliveries: ({ deliveries }) => deliveries.entries.filter(({ status }) => status === "failed").length,
};

/** A count, where it is not 0. Hidden from screen readers. */
function Count({ tab }: { tab: Tab }) {
  const { session } = useApp();
  const count = COUNTED[tab]?.(session);
  if (count === undefined || count === 0) return null;
  return (
    <span
      class={`count ${tab}`}
      aria-hidden="true"
      title={tab === "deliveries" ? `${count} failed` : undefined}
    >
      {count > 99 ? "99+" : count}
    </span>
  );
}

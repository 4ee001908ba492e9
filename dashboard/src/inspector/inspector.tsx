import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import { TABS, type Tab } from "../lib/route";
import { ArmedStrip } from "./armed-strip";

const PANELS: Readonly<Record<Tab, readonly [name: string, panel: ComponentType]>> = {
  requests: ["Requests", lazy("the requests", async () => (await import("./requests-panel")).RequestsPanel)],
  deliveries: [
    "Deliveries",
    lazy("the deliveries", async () => (await import("./deliveries-panel")).DeliveriesPanel),
  ],
  warnings: ["Warnings", lazy("the warnings", async () => (await import("./warnings-panel")).WarningsPanel)],
  faults: ["Faults", lazy("the faults", async () => (await import("./faults-panel")).FaultsPanel)],
  behaviour: [
    "Behaviour",
    lazy("the behaviour", async () => (await import("./behaviour-panel")).BehaviourPanel),
  ],
  scenarios: [
    "Scenarios",
    lazy("the scenarios", async () => (await import("./scenarios-panel")).ScenariosPanel),
  ],
  coverage: ["Coverage", lazy("the coverage", async () => (await import("./coverage-panel")).CoveragePanel)],
};

/** So many tabs show what happened; the others are for settings. */
const HAPPENED = TABS.indexOf("warnings") + 1;

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
    <aside class="inspector" id="inspector" aria-label="What happened" tabIndex={-1}>
      <div ref={list} role="tablist" aria-label="What happened" class="tabs" onKeyDown={move}>
        {[TABS.slice(0, HAPPENED), TABS.slice(HAPPENED)].map((group, at) => (
          <div key={at} class="tab-group" role="presentation">
            {group.map((tab) => (
              <button
                key={tab}
                type="button"
                role="tab"
                id={`tab-${tab}`}
                aria-selected={tab === route.tab}
                aria-controls={tab === route.tab ? "panel" : undefined}
                tabIndex={tab === route.tab ? 0 : -1}
                onClick={() => navigate({ tab, item: null })}
              >
                {PANELS[tab][0]}
                <Count tab={tab} />
              </button>
            ))}
          </div>
        ))}
      </div>
      <ArmedStrip />
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${route.tab}`} class="panel">
        <Panel key={route.tab} />
      </div>
    </aside>
  );
}

/** How many warnings, armed faults or failed deliveries there are. Hidden from screen readers. */
function Count({ tab }: { tab: Tab }) {
  const { session } = useApp();
  const count =
    tab === "warnings"
      ? session.warnings.entries.length
      : tab === "faults"
        ? session.armed.value.length
        : tab === "deliveries"
          ? session.deliveries.entries.filter(({ status }) => status === "failed").length
          : 0;
  if (count === 0) return null;
  const title = tab === "deliveries" ? `${count} failed` : `${count}`;
  return (
    <span class={`count ${tab}`} aria-hidden="true" title={title}>
      {count > 999 ? "999+" : count}
    </span>
  );
}

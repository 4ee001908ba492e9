import { useComputed } from "@preact/signals";
import { useApp, useOpenItem } from "../lib/context";
import { dayOf, longMs, timeOfDay } from "../lib/format";
import { TIMELINE_ROWS, timelineEvents } from "../model/timeline-events";

const MAX_MARKS = 600;
const ROW_HEIGHT = 12;

/** What happened in the sandbox, on its own clock: a mark opens its request or delivery. */
export function Timeline() {
  const { session, route } = useApp();
  const open = useOpenItem();
  const all = useComputed(() => timelineEvents(session).slice(-MAX_MARKS)).value;
  const [first] = all;
  if (first === undefined) return null;
  const end = Math.max(session.clock.now(), all.at(-1)?.at ?? 0);
  const span = Math.max(1_000, end - first.at);
  const y = (row: number) => row * ROW_HEIGHT + 8;
  const x = (at: number) => `${1 + ((at - first.at) / span) * 98}%`;
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-names" aria-hidden="true">
        {TIMELINE_ROWS.map((row) => (
          <span key={row}>{row}</span>
        ))}
      </div>
      <svg height={TIMELINE_ROWS.length * ROW_HEIGHT + 4} aria-hidden="true">
        {TIMELINE_ROWS.map((row, at) => (
          <line key={row} class="timeline-row" x1="0" x2="100%" y1={y(at)} y2={y(at)} />
        ))}
        {all.map(({ id, row, at, tone, description, item }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the logs beside it lead to the same by keyboard
          <circle
            key={id}
            class={`event ${tone} ${item !== null && item === route.item ? "chosen" : ""}`}
            cx={x(at)}
            cy={y(TIMELINE_ROWS.indexOf(row))}
            r={item !== null && item === route.item ? 5 : 3.5}
            onClick={item === null ? undefined : () => open(item)}
          >
            <title>
              {timeOfDay(at)} {description}
            </title>
          </circle>
        ))}
      </svg>
      <p class="timeline-ends">
        <span>
          {dayOf(first.at)} {timeOfDay(first.at)}
        </span>
        <span>{longMs(span)} on the sandbox's clock</span>
        <span>{timeOfDay(end)}</span>
      </p>
    </section>
  );
}

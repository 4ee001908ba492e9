import { useMemo } from "preact/hooks";
import { useApp, useOpenItem, useSession } from "../lib/context";
import { dayOf, longMs, timeOfDay } from "../lib/format";
import { LANES, timelineEventsOf } from "../model/timeline-events";

const MAX_MARKS = 600;
const LANE = 12;

/** What happened in the sandbox, on its own clock: each mark opens what it stands for. */
export function Events() {
  const session = useSession("requests", "deliveries", "conversation", "clock");
  const { place } = useApp();
  const open = useOpenItem();
  const { entries: requests } = session.requests;
  const { entries: deliveries } = session.deliveries;
  const messages = session.conversation?.messages;
  const all = useMemo(
    () => timelineEventsOf(session).slice(-MAX_MARKS),
    [session, requests, deliveries, messages],
  );
  const first = all[0];
  if (first === undefined) return null;
  const end = Math.max(session.now(), all.at(-1)?.at ?? 0);
  const span = Math.max(1_000, end - first.at);
  const x = (at: number) => `${1 + ((at - first.at) / span) * 98}%`;
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-lanes" aria-hidden="true">
        {LANES.map((lane) => (
          <span key={lane}>{lane}</span>
        ))}
      </div>
      <svg height={LANES.length * LANE + 4} aria-hidden="true">
        {LANES.map((lane, at) => (
          <line key={lane} class="lane" x1="0" x2="100%" y1={at * LANE + 8} y2={at * LANE + 8} />
        ))}
        {all.map(({ id, lane, at, tone, words, item }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the logs beside it lead to the same by keyboard
          <circle
            key={id}
            class={`event ${tone} ${item !== null && item === place.item ? "chosen" : ""}`}
            cx={x(at)}
            cy={LANES.indexOf(lane) * LANE + 8}
            r={item !== null && item === place.item ? 5 : 3.5}
            onClick={item === null ? undefined : () => open(item)}
          >
            <title>
              {timeOfDay(at)} {words}
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

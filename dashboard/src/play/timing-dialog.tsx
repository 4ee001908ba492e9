import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useEntries } from "../inspector/entries-of";
import { useApp } from "../lib/context";
import { isoTime, longMs, plural, shortMs, timeOfDay } from "../lib/format";
import type { Thread } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Dialog, DialogFoot } from "../parts/dialog";
import { type Phase, sumsOf, type Timing, timingOf, type WebhookTiming, webhookTimings } from "./timing";
import "../styles/timing.css";

const NAMES: Readonly<Record<Phase, string>> = {
  event: "event",
  attempts: "webhook attempts",
  bot: "bot",
  calls: "bot's calls",
  reply: "reply",
};

const duration = (ms: number): string => (ms < 60_000 ? shortMs(ms) : longMs(ms));

/** Where the time of each turn went, and how the webhooks did over time. */
export default function TimingDialog({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const { session } = useApp();
  const { requests, causes } = session;
  const deliveries = useEntries(session.deliveries);
  const turns = session.conversationOf(thread.id)?.turns.value;
  const timings = useMemo(() => {
    const logs = {
      request: (id: string) => requests.get(id),
      delivery: (id: string) => session.deliveries.get(id),
      writerOf: (id: string) => causes.writerOf(id),
    };
    const known = (turns ?? []).flatMap((turn) => timingOf(turn, logs) ?? []);
    return known.reverse();
  }, [turns, deliveries]);
  const webhooks = useMemo(() => webhookTimings(deliveries), [deliveries]);
  return (
    <Dialog title="Where time went" onClose={onClose} wide>
      <h3>Turns</h3>
      {timings.length === 0 ? (
        <p class="muted">No turns with a webhook, a call or a reply yet.</p>
      ) : (
        <ol class="timings" aria-label="Turns">
          <Bounded items={timings} step={10}>
            {(timing) => <TurnBar key={timing.key} timing={timing} />}
          </Bounded>
        </ol>
      )}
      <h3>Webhooks</h3>
      {webhooks.length === 0 ? <p class="muted">No attempts yet.</p> : null}
      <ul class="timings" aria-label="Webhooks">
        <Bounded items={webhooks} step={5}>
          {(timing) => (
            <li key={timing.hookId}>
              <p>
                <b>{timing.hookId}</b>{" "}
                <span class="muted">
                  {plural(timing.count, "attempt")}, {Math.round(timing.rate)} % succeeded, p95{" "}
                  {shortMs(timing.p95)}
                </span>
              </p>
              <WebhookChart timing={timing} />
            </li>
          )}
        </Bounded>
      </ul>
      <DialogFoot onClose={onClose} />
    </Dialog>
  );
}

/** A turn as a bar, and in words. */
function TurnBar({ timing: { at, text, hasReply, stretches, isFrozen } }: { timing: Timing }) {
  const total = stretches.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <li>
      <p class="timing-head">
        <time class="muted" dateTime={isoTime(at)}>
          {timeOfDay(at)}
        </time>
        <span class="grow ellipsis" dir="auto">
          {text}
        </span>
        <b>{duration(total)}</b>
      </p>
      <div class="timing-bar" aria-hidden="true">
        {stretches.map(({ phase, ms }, index) => (
          <i key={index} class={`phase ${phase}`} style={{ flexGrow: ms }} />
        ))}
      </div>
      <p class="timing-legend">
        {sumsOf(stretches).map(({ phase, ms }) => (
          <span key={phase}>
            <i class={`phase ${phase}`} aria-hidden="true" /> {NAMES[phase]} {duration(ms)}
          </span>
        ))}
        {hasReply ? null : <span>no reply</span>}
        {isFrozen ? <span>durations only: the clock is frozen</span> : null}
      </p>
    </li>
  );
}

const HEIGHT = 130;

/** Times of an axis, s since 1970, as precise as the axis is long. */
function timesOf(seconds: readonly number[]): string[] {
  const span = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  const [from, to] = span < 5 ? [17, 23] : span < 86_400 ? [11, 19] : [5, 16];
  return seconds.map((time) =>
    isoTime(time * 1_000)
      .slice(from, to)
      .replace("T", " "),
  );
}

const dataOf = ({ spans }: WebhookTiming): UPlot.AlignedData => [
  spans.map(({ at }) => at),
  spans.map(({ rate }) => rate),
  spans.map(({ p95 }) => p95),
];

/** The success rate of a webhook, in percent, and its p95, in ms, over the sandbox's time. */
function WebhookChart({ timing }: { timing: WebhookTiming }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    // The colours of the theme, which a canvas cannot look up.
    const colour = (name: string) => () =>
      getComputedStyle(element.querySelector(`.${name}`) ?? element).color;
    const points = { size: 6 };
    const axis = {
      stroke: colour("axis"),
      grid: { stroke: colour("grid"), width: 1 },
      font: "12px sans-serif",
    };
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { percent: { range: [0, 105] }, ms: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          { ...axis, values: (_, all) => timesOf(all), space: 80, size: 30 },
          { ...axis, scale: "percent", values: (_, all) => all.map((value) => `${value} %`), size: 56 },
          {
            ...axis,
            scale: "ms",
            side: 1,
            grid: { show: false },
            values: (_, all) => all.map((value) => `${value} ms`),
            size: 68,
          },
        ],
        series: [
          {},
          { scale: "percent", stroke: colour("rate"), width: 2, points },
          { scale: "ms", stroke: colour("p95"), width: 2, dash: [5, 3], points },
        ],
      },
      [[], [], []],
      element,
    );
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => made.redraw();
    scheme.addEventListener("change", redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", redraw);
      made.destroy();
    };
  }, []);
  useEffect(() => chart.current?.setData(dataOf(timing)), [timing]);
  return (
    <div ref={place} class="webhook-chart" aria-hidden="true">
      <span class="axis" />
      <span class="grid" />
      <span class="rate">— success rate</span> <span class="p95">┄ p95</span>
    </div>
  );
}

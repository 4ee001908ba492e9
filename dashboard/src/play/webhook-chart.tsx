import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isoTime } from "../lib/format";
import type { WebhookTiming } from "./timing";

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
export function WebhookChart({ timing }: { timing: WebhookTiming }) {
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

/** A load as one page: its figures, and what it was like over time. */
import { escapedHtml, htmlPage, htmlTable, scriptValue } from "../kernel/html.js";
import { loadPackageText } from "../kernel/load.js";
import { figuresOf } from "./pretty.js";
import type { LoadReport, Point } from "./report.js";

/** A line of a plot: its name, its colour, and its value at each point. */
type Line = readonly [name: string, color: string, value: (point: Point) => number | null];

interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const perSecond =
  (key: "messages" | "replies" | "failures") =>
  (point: Point): number =>
    point.length > 0 ? point[key] / point.length : 0;

const PLOTS: readonly Plot[] = [
  {
    title: "Throughput",
    unit: "a second",
    lines: [
      ["messages", "#2563eb", perSecond("messages")],
      ["replies", "#16a34a", perSecond("replies")],
    ],
  },
  {
    title: "Reply latency",
    unit: "ms",
    lines: [
      ["p50", "#2563eb", ({ p50 }) => p50],
      ["p99", "#dc2626", ({ p99 }) => p99],
    ],
  },
  {
    title: "Failed conversations",
    unit: "a second",
    lines: [["failed", "#dc2626", perSecond("failures")]],
  },
  { title: "Customers", unit: "at once", lines: [["customers", "#2563eb", ({ customers }) => customers]] },
  {
    title: "Event loop lag, 99th percentile",
    unit: "ms",
    lines: [
      ["simulator", "#9333ea", ({ simulatorLag }) => simulatorLag],
      ["generator", "#ea580c", ({ generatorLag }) => generatorLag],
    ],
  },
];

const STYLE = ".plot{margin:1rem 0}.u-legend{font-size:13px}";

/** Draws each of `plots` where the page has a place for it. */
const DRAW = `for (const [at, { title, unit, x, lines, log }] of plots.entries()) {
  const grid = { stroke: "#8883" }, stroke = getComputedStyle(document.body).color;
  new uPlot({
    title, width: Math.min(900, document.body.clientWidth), height: 220,
    scales: { x: { time: false, ...(log && { distr: 3, log: 10, dir: 1 }) } },
    series: [{ label: x }, ...lines.map(([label, stroke]) => ({ label: label + " (" + unit + ")", stroke, width: 2, spanGaps: true }))],
    axes: [{ grid, stroke, label: x }, { grid, stroke, size: 70 }],
  }, data[at], document.getElementById("plot" + at));
}`;

/** One page that needs nothing else. */
export function htmlLoad(report: LoadReport): string {
  const { timeline, latency, failures, notes, expectations } = report;
  const text = (value: string | number) => escapedHtml(String(value));
  const curve = latency.curve.filter(({ percentile }) => percentile < 100);
  const plots = [
    ...PLOTS.map(({ title, unit, lines }) => ({
      title,
      unit,
      x: "s",
      lines: lines.map(([name, color]) => [name, color]),
    })),
    {
      title: "Latency by percentile",
      unit: "ms",
      x: "one reply in … is slower",
      lines: [["latency", "#2563eb"]],
      log: true,
    },
  ];
  const data = [
    ...PLOTS.map(({ lines }) => [
      timeline.map(({ s }) => s),
      ...lines.map(([, , value]) => timeline.map(value)),
    ]),
    [curve.map(({ percentile }) => 100 / (100 - percentile)), curve.map(({ ms }) => ms)],
  ];
  const style = loadPackageText("uplot/dist/uPlot.min.css");
  const library = loadPackageText("uplot/dist/uPlot.iife.min.js");
  return htmlPage({
    title: `load: ${report.scenarios.map(({ name }) => name).join(", ")}`,
    style: style + STYLE,
    body: [
      ...expectations.map(
        ({ expectation, ok, seen }) =>
          `<p${ok ? "" : ' class="bad"'}>${ok ? "✓" : "✗"} ${text(expectation)} (${text(seen)})</p>`,
      ),
      ...notes.map((note) => `<p class="bad">${text(note)}</p>`),
      htmlTable(
        ["figure", ""],
        figuresOf(report).map((row) => row.map(text)),
      ),
      ...plots.map((_, at) => `<div class="plot" id="plot${at}"></div>`),
      "<h2>Failures</h2>",
      failures.length === 0
        ? "<p>None.</p>"
        : htmlTable(
            ["count", "kind", "step", "place", "the first"],
            failures.map(({ count, kind, step, place, message }) =>
              [count, kind, step, place, message].map(text),
            ),
          ),
      "<h2>Percentiles</h2>",
      htmlTable(
        ["percentile", "ms"],
        latency.curve.map(({ percentile, ms }) => [String(percentile), String(ms)]),
      ),
    ],
    scripts: [library, `const plots = ${scriptValue(plots)}, data = ${scriptValue(data)};\n${DRAW}`],
  });
}

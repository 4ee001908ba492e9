/** Reports of load tests: in a terminal, as JSON, as an HTML page. */

import { loadPackageText } from "../../kernel/packages.js";
import { printableIn } from "../../kernel/printable.js";
import { html, htmlPage, htmlTable, jsonText, scriptValue } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { LoadReport, Point } from "./report.js";
import { msText, shareOf } from "./report.js";

type Line = readonly [name: string, color: string, value: (point: Point) => number | null];

const perSecond =
  (key: "messages" | "replies" | "failures") =>
  (point: Point): number =>
    point.length > 0 ? point[key] / point.length : 0;

const [BLUE, GREEN, RED, PURPLE, ORANGE] = ["#2563eb", "#16a34a", "#dc2626", "#9333ea", "#ea580c"] as const;

const OVER_TIME: readonly (readonly [title: string, unit: string, ...lines: Line[]])[] = [
  [
    "Throughput",
    "a second",
    ["messages", BLUE, perSecond("messages")],
    ["replies", GREEN, perSecond("replies")],
  ],
  ["Reply latency", "ms", ["p50", BLUE, ({ p50 }) => p50], ["p99", RED, ({ p99 }) => p99]],
  ["Failed conversations", "a second", ["failed", RED, perSecond("failures")]],
  ["Customers", "at once", ["customers", BLUE, ({ customers }) => customers]],
  [
    "Event loop lag, 99th percentile",
    "ms",
    ["simulator", PURPLE, ({ simulatorLag }) => simulatorLag],
    ["generator", ORANGE, ({ generatorLag }) => generatorLag],
  ],
];

/** Plots with their data, as uPlot takes it. */
function plotsOf({ timeline, latency }: LoadReport) {
  const curve = latency.curve.filter(({ percentile }) => percentile < 100);
  return [
    ...OVER_TIME.map(([title, unit, ...lines]) => ({
      ...{ title, unit, x: "s", lines: lines.map(([name, color]) => [name, color]) },
      data: [timeline.map(({ s }) => s), ...lines.map(([, , value]) => timeline.map(value))],
    })),
    {
      ...{ title: "Latency by percentile", unit: "ms", x: "one reply in … is slower", log: true },
      lines: [["latency", BLUE]],
      data: [curve.map(({ percentile }) => 100 / (100 - percentile)), curve.map(({ ms }) => ms)],
    },
  ];
}

const STYLE = ".plot{margin:1rem 0}.u-legend{font-size:13px}";

const DRAW = `for (const [at, { title, unit, x, lines, log, data }] of plots.entries()) {
  const grid = { stroke: "#8883" }, stroke = getComputedStyle(document.body).color;
  new uPlot({
    title, width: Math.min(900, document.body.clientWidth), height: 220,
    scales: { x: { time: false, ...(log && { distr: 3, log: 10, dir: 1 }) } },
    series: [{ label: x }, ...lines.map(([label, stroke]) => ({ label: label + " (" + unit + ")", stroke, width: 2, spanGaps: true }))],
    axes: [{ grid, stroke, label: x }, { grid, stroke, size: 70 }],
  }, data, document.getElementById("plot" + at));
}`;

/** One page that needs nothing else. */
export function htmlLoad(report: LoadReport): string {
  const { latency, failures, notes, expectations } = report;
  const plots = plotsOf(report);
  const style = loadPackageText("uplot/dist/uPlot.min.css");
  const library = loadPackageText("uplot/dist/uPlot.iife.min.js");
  return htmlPage({
    title: `load: ${report.scenarios.map(({ name }) => name).join(", ")}`,
    style: style + STYLE,
    body: [
      ...expectations.map(
        ({ expectation, ok, seen }) =>
          html`<p class="${ok ? "" : "bad"}">${ok ? "✓" : "✗"} ${expectation} (${seen})</p>`,
      ),
      ...notes.map((note) => html`<p class="bad">${note}</p>`),
      htmlTable(["figure", ""], figuresOf(report)),
      ...plots.map((_, at) => html`<div class="plot" id="plot${at}"></div>`),
      html`<h2>Failures</h2>`,
      failures.length === 0
        ? html`<p>None.</p>`
        : htmlTable(
            ["count", "kind", "step", "place", "the first"],
            failures.map(({ count, kind, step, place, message }) => [count, kind, step, place, message]),
          ),
      html`<h2>Percentiles</h2>`,
      htmlTable(
        ["percentile", "ms"],
        latency.curve.map(({ percentile, ms }) => [percentile, ms]),
      ),
    ],
    scripts: [library, `const plots = ${scriptValue(plots)};\n${DRAW}`],
  });
}

/** One line of progress. */
export function progressLine(point: Point): string {
  const { s, customers, p50, p99, failures } = point;
  const rate = Math.round(perSecond("messages")(point));
  return `${Math.round(s)} s  ${customers} customers  ${rate} messages/s  p50 ${msText(p50)}  p99 ${msText(p99)}  ${failures} failed`;
}

const number = new Intl.NumberFormat("en-US");

function figuresOf(report: LoadReport): [name: string, text: string][] {
  const { messages, messagesPerSecond, replies, timeouts, wrong, unasked, latency, sending, calls } = report;
  const { started, done, failed, unfinished, peak } = report.conversations;
  const count = (value: number) => number.format(value);
  return [
    ["load", modelText(report)],
    [
      "conversations",
      `${count(started)} started, ${count(done)} done, ${count(failed)} failed (${shareOf(failed, done + failed)}), ` +
        `${count(unfinished)} unfinished; at most ${count(peak)} at once`,
    ],
    ["messages", `${count(messages)}, ${messagesPerSecond} a second`],
    ["replies", `${count(replies)}; ${counted(timeouts, "timeout")}, ${wrong} wrong, ${unasked} unexpected`],
    ["reply latency", percentilesText(latency, ["p50", "p90", "p99", "max"], "  ")],
    [
      "sending delay",
      `${percentilesText(sending, ["p50", "p99"], "  ")}, until the simulator accepted the message`,
    ],
    ["API calls", countsText(calls)],
    ["deliveries", countsText(report.deliveries)],
    ["event loop lag", lagText(report.lag)],
  ];
}

const percentilesText = <K extends string>(
  figures: Readonly<Record<K, number | null>>,
  keys: readonly K[],
  gap = " ",
): string => keys.map((key) => `${key} ${msText(figures[key])}`).join(gap);

/** The whole report. */
function prettyLoad(written: LoadReport): string {
  const report = printableIn(written);
  const rows = figuresOf(report);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`),
    ...failureLines(report),
    ...report.notes.map((note) => `\n! ${note}`),
    ...(report.expectations.length > 0 ? [""] : []),
    ...report.expectations.map(({ expectation, ok, seen }) => `${ok ? "✓" : "✗"} ${expectation}  (${seen})`),
    "",
  ].join("\n");
}

function modelText({ customers, arrivalsPerSecond, durationMs, rampMs, endedEarly }: LoadReport): string {
  const who =
    customers === undefined ? `${arrivalsPerSecond} arrivals a second` : counted(customers, "customer");
  const ramp = rampMs > 0 ? `, ramp ${rampMs / 1_000} s` : "";
  return `${who}, ${(durationMs / 1_000).toFixed(1)} s${ramp}${endedEarly ? ", ended early" : ""}`;
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${number.format(count)}`)
    .join(", ") || "none";

function lagText({ simulator, generator, sameProcess }: LoadReport["lag"]): string {
  const of = (lag: typeof simulator) => percentilesText(lag, ["p50", "p99", "max"]);
  if (sameProcess) return `simulator and generator ${of(generator)}`;
  return `simulator ${of(simulator)}; generator ${of(generator)}`;
}

const KINDS = { timeout: "no reply in time", wrong: "wrong reply", other: "failed" } as const;
const MOST = 10;

function failureLines({ failures }: LoadReport): string[] {
  if (failures.length === 0) return [];
  const lines = failures
    .slice(0, MOST)
    .map(
      ({ kind, step, place, count, message }) =>
        `✗ ${count} × ${KINDS[kind]} at ${step}, ${place}\n    ${message}`,
    );
  return ["", ...lines, ...(failures.length > MOST ? [`and ${failures.length - MOST} more steps`] : [])];
}

export const LOAD_REPORTERS = {
  pretty: prettyLoad,
  json: jsonText as (report: LoadReport) => string,
  html: htmlLoad,
} as const;

/** Reports of load tests: in a terminal, as JSON, as an HTML page. */
import { loadPackageText } from "../../kernel/packages.js";
import { printableIn } from "../../kernel/printable.js";
import { html, htmlPage, htmlTable, jsonText, scriptValue } from "../../kernel/reports.js";
import { counted } from "../../kernel/words.js";
import type { LoadReport, Point } from "./report.js";
import { msText, shareOf } from "./report.js";

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
    scripts: [library, `const plots = ${scriptValue(plots)}, data = ${scriptValue(data)};\n${DRAW}`],
  });
}

/** One line of progress. */
export function progressLine({ s, customers, messages, length, p50, p99, failures }: Point): string {
  const perSecond = length > 0 ? Math.round(messages / length) : 0;
  return [
    `${Math.round(s)} s`,
    `${customers} customers`,
    `${perSecond} messages/s`,
    `p50 ${msText(p50)}`,
    `p99 ${msText(p99)}`,
    `${failures} failed`,
  ].join("  ");
}

const number = new Intl.NumberFormat("en-US");

function figuresOf(report: LoadReport): [name: string, text: string][] {
  const { conversations, latency, lag } = report;
  const ended = conversations.done + conversations.failed;
  return [
    ["load", modelText(report)],
    [
      "conversations",
      `${number.format(conversations.started)} begun, ${number.format(conversations.done)} done, ` +
        `${number.format(conversations.failed)} failed (${shareOf(conversations.failed, ended)}), ` +
        `${number.format(conversations.unfinished)} unfinished; at most ${number.format(conversations.peak)} at once`,
    ],
    ["messages", `${number.format(report.messages)}, ${report.messagesPerSecond} a second`],
    [
      "replies",
      `${number.format(report.replies)}; ${counted(report.timeouts, "timeout")}, ${report.wrong} wrong, ${report.unasked} unasked`,
    ],
    [
      "reply latency",
      `p50 ${msText(latency.p50)}  p90 ${msText(latency.p90)}  p99 ${msText(latency.p99)}  max ${msText(latency.max)}`,
    ],
    [
      "of it sending",
      `p50 ${msText(report.sending.p50)}  p99 ${msText(report.sending.p99)}, until the simulator took the message`,
    ],
    ["API calls", countsText(report.calls)],
    ["deliveries", countsText(report.deliveries)],
    ["event loop lag", lagText(lag)],
  ];
}

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

const lagText = ({ simulator, generator, sameProcess }: LoadReport["lag"]): string => {
  const of = ({ p50, p99, max }: typeof simulator) =>
    `p50 ${msText(p50)} p99 ${msText(p99)} max ${msText(max)}`;
  return sameProcess
    ? `simulator and generator ${of(generator)}`
    : `simulator ${of(simulator)}; generator ${of(generator)}`;
};

const KINDS = { timeout: "no reply in time", wrong: "wrong reply", other: "failed" } as const;
const MOST = 10;

function failureLines({ failures }: LoadReport): string[] {
  if (failures.length === 0) return [];
  return [
    "",
    ...failures
      .slice(0, MOST)
      .map(
        ({ kind, step, place, count, message }) =>
          `✗ ${count} × ${KINDS[kind]} at ${step}, ${place}\n    ${message}`,
      ),
    ...(failures.length > MOST ? [`and ${failures.length - MOST} more steps`] : []),
  ];
}

export const LOAD_REPORTERS = {
  pretty: prettyLoad,
  json: jsonText as (report: LoadReport) => string,
  html: htmlLoad,
} as const;

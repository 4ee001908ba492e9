/** A load for readers in a terminal. */
import { printableIn } from "../kernel/printable.js";
import { counted } from "../kernel/words.js";
import type { LoadReport, Point } from "./report.js";
import { msText, shareOf } from "./report.js";

/** One line while it runs. */
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

/** Each figure in words, with its name. */
export function figuresOf(report: LoadReport): [name: string, text: string][] {
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
      `p50 ${msText(report.sending.p50)}  p99 ${msText(report.sending.p99)}, until the simulator had taken the message`,
    ],
    ["API calls", countsText(report.calls)],
    ["deliveries", countsText(report.deliveries)],
    ["event loop lag", lagText(lag)],
  ];
}

/** The whole report. */
export function prettyLoad(written: LoadReport): string {
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

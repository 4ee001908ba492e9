/** Every outcome in the tables, and how often it was met. */
import { OPERATIONS } from "../../api/operations/index.js";
import type { PossibleAnswer } from "../../api/responses.js";
import { possibleAnswers } from "../../api/responses.js";
import { keysOf } from "../../kernel/objects.js";
import type { Coverage, CoverageReport, EventKind } from "../../sandbox/coverage.js";
import { EVENT_CAUSES, rowOfKind } from "../../sandbox/coverage.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";

/** The outcomes of an operation: success, invalid request, and each refusal. */
const outcomesOf = (answers: readonly PossibleAnswer[]) =>
  [...new Map(answers.map((answer) => [answer.outcome, answer])).values()].flatMap(
    ({ outcome, status, section, description }) =>
      outcome === undefined ? [] : [{ outcome, status, section, description }],
  );

/** Each event type by cause; legacy webhooks get messages only. */
const EVENTS: readonly EventKind[] = [false, true].flatMap((legacy) =>
  keysOf(EVENT_CAUSES).flatMap((event) =>
    legacy && event !== "message" ? [] : EVENT_CAUSES[event].map((cause) => ({ event, cause, legacy })),
  ),
);

const sectionOf = ({ event, legacy }: EventKind): string =>
  legacy
    ? "Events / Legacy delivery payload"
    : `Events / ${event === "message" ? "Message" : "Transfer"} event payload`;

/** Every row with the number of times it was met. */
export function coverageReport(coverage: Coverage): CoverageReport {
  return counted({
    operations: OPERATIONS.map((operation) => ({
      operation: operation.id,
      outcomes: outcomesOf(possibleAnswers(operation)).map((outcome) => {
        const met = coverage.times(operation.id, outcome.outcome);
        return { ...outcome, met };
      }),
    })),
    events: EVENTS.map((kind) => {
      const met = coverage.times(...rowOfKind(kind));
      return { ...kind, section: sectionOf(kind), met };
    }),
    behaviours: coverage
      .consulted()
      .map(({ key, consulted }) => ({ key, consulted, section: BEHAVIOUR_TABLE[key].section })),
  });
}

function counted(rows: Omit<CoverageReport, "met" | "total">): CoverageReport {
  const all = [...rows.operations.flatMap(({ outcomes }) => outcomes), ...rows.events];
  return { met: all.filter(({ met }) => met > 0).length, total: all.length, ...rows };
}

/** The difference of two reports of one server or sandbox: they have the same rows, but for the behaviour entries consulted. */
export function reportSince(before: CoverageReport, after: CoverageReport): CoverageReport {
  const consultedBefore = new Map(before.behaviours.map(({ key, consulted }) => [key, consulted]));
  return counted({
    operations: after.operations.map(({ operation, outcomes }, at) => ({
      operation,
      outcomes: outcomes.map((row, index) => ({
        ...row,
        met: row.met - (before.operations[at]?.outcomes[index]?.met ?? 0),
      })),
    })),
    events: after.events.map((row, at) => ({ ...row, met: row.met - (before.events[at]?.met ?? 0) })),
    behaviours: after.behaviours
      .map((row) => ({ ...row, consulted: row.consulted - (consultedBefore.get(row.key) ?? 0) }))
      .filter(({ consulted }) => consulted > 0),
  });
}

/** The outcomes of an operation, or the causes of a kind of event. */
interface CoverageTable {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly met: number; readonly section: string }[];
  /** The number of rows met: the system under test uses the operation, or gets such events. */
  readonly met: number;
}

export function tablesOf({ operations, events }: CoverageReport): CoverageTable[] {
  const titled = [
    ...operations.flatMap(({ operation: title, outcomes }) =>
      outcomes.map((row) => ({ ...row, title, name: `${row.status} ${row.outcome}` })),
    ),
    ...events.map((row) => ({
      ...row,
      title: `${row.legacy ? "legacy " : ""}${row.event} events`,
      name: `${row.event} (${row.cause}${row.legacy ? ", legacy" : ""})`,
    })),
  ];
  return [...new Set(titled.map(({ title }) => title))].map((title) => {
    const rows = titled.filter((row) => row.title === title);
    return { title, rows, met: rows.filter(({ met }) => met > 0).length };
  });
}

/** What is met of what the system under test uses: per cent is 100 where it uses nothing. */
export function usedIn(report: CoverageReport) {
  const used = tablesOf(report).filter(({ met }) => met > 0);
  const total = used.reduce((sum, { rows }) => sum + rows.length, 0);
  return { met: report.met, total, percent: total === 0 ? 100 : (100 * report.met) / total };
}

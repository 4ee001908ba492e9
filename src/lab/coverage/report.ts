/** Every outcome in the tables, and how often it was met. */
import { OPERATIONS } from "../../api/operations/index.js";
import type { PossibleAnswer } from "../../api/responses.js";
import { possibleAnswers } from "../../api/responses.js";
import { keysOf } from "../../kernel/objects.js";
import type { Coverage, CoverageReport, EventKind } from "../../sandbox/coverage.js";
import { EVENT_CAUSES, nameOfKind } from "../../sandbox/coverage.js";
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
        const met = coverage.times(`${operation.id} ${outcome.outcome}`);
        return withSnippetIfMissed({ ...outcome, met, snippet: outcomeSnippet(operation.id, outcome) });
      }),
    })),
    events: EVENTS.map((kind) => {
      const met = coverage.times(nameOfKind(kind));
      return withSnippetIfMissed({ ...kind, section: sectionOf(kind), met, snippet: eventSnippet(kind) });
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

type Signed = readonly [sign: 1 | -1, report: CoverageReport];

/** Adds up reports, of parallel jobs for instance. */
export const mergedReports = (reports: readonly CoverageReport[]): CoverageReport =>
  combined(reports.map((report) => [1, report]));

/** The difference of two reports of one server or sandbox. */
export const reportSince = (before: CoverageReport, after: CoverageReport): CoverageReport =>
  combined([
    [1, after],
    [-1, before],
  ]);

function combined(reports: readonly Signed[]): CoverageReport {
  /** Rows of one name as one, with the sum of what they count. */
  const summed = <R>(
    rowsOf: (report: CoverageReport) => readonly R[],
    nameOf: (row: R) => string,
    of: keyof R,
  ): R[] => {
    const sums = new Map<string, R>();
    for (const [sign, report] of reports)
      for (const row of rowsOf(report)) {
        const known = sums.get(nameOf(row));
        const count = sign * Number(row[of]) + Number(known?.[of] ?? 0);
        sums.set(nameOf(row), { ...row, ...known, [of]: count });
      }
    return [...sums.values()];
  };
  const outcomes = summed(
    ({ operations }) =>
      operations.flatMap(({ operation, outcomes }) => outcomes.map((row) => ({ operation, ...row }))),
    ({ operation, outcome }) => `${operation} ${outcome}`,
    "met",
  );
  return counted({
    operations: [...new Set(outcomes.map(({ operation }) => operation))].map((operation) => ({
      operation,
      outcomes: outcomes
        .filter((row) => row.operation === operation)
        .map(({ operation: _, ...row }) => withSnippetIfMissed(row)),
    })),
    events: summed(
      ({ events }) => events,
      (row) => nameOfKind(row),
      "met",
    ).map(withSnippetIfMissed),
    behaviours: summed(
      ({ behaviours }) => behaviours,
      ({ key }) => key,
      "consulted",
    ).filter(({ consulted }) => consulted > 0),
  });
}

const withSnippetIfMissed = <R extends { readonly met: number; readonly snippet?: string }>(row: R): R => {
  const { snippet: _, ...rest } = row;
  return row.met === 0 ? row : (rest as R);
};

/** Per cent. */
export const percentOf = ({ met, total }: Pick<CoverageReport, "met" | "total">): number =>
  total === 0 ? 100 : (100 * met) / total;

type Outcome = Pick<CoverageReport["operations"][number]["outcomes"][number], "outcome" | "status">;

/** A scenario in which the next call of the operation has this outcome. */
function outcomeSnippet(operation: string, { outcome, status }: Outcome): string {
  // The status excludes calls from before the fault was armed.
  const comes = `  - expect:
      request:
        operation: ${operation}
        status: ${status}
`;
  if (outcome === "success") return `name: The system under test calls ${operation}\nsteps:\n${comes}`;
  return `name: "${operation} is refused: ${outcome}"
steps:
  - fault:
      on: request
      match:
        operation: ${operation}
      times: 1
      then:
        refusal: ${outcome}
${comes}`;
}

const STEPS: Readonly<Record<EventKind["cause"], string>> = {
  customer: "  - customer: Hello",
  employee: `  - employee:
      user: "501"
      says: I take over`,
  api: `  - expect:
      request:
        operation: sendMessageToCustomerThread
        status: 200`,
  control: '  - transfer: "1002"',
};

const LEGACY_WEBHOOK = `  - request: POST /api/update-hook-url
    token: acme-token
    body:
      url: sink:legacy
    expect: 200
`;

/** A scenario that sends such an event, for the shipped fixture. */
const eventSnippet = ({ event, cause, legacy }: EventKind): string =>
  `name: A${legacy ? " legacy" : ""} ${event} event (${cause})
thread: "9001"
steps:
${legacy ? LEGACY_WEBHOOK : ""}${STEPS[cause]}
  - delivered: ${event}
`;

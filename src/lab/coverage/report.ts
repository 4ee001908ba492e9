/** Every outcome in the tables, and how often it was met. */
import { stringify } from "yaml";
import { OPERATIONS } from "../../api/operations/index.js";
import type { PossibleAnswer } from "../../api/responses.js";
import { possibleAnswers } from "../../api/responses.js";
import { keysOf, omitUndefined } from "../../kernel/objects.js";
import type { Coverage, CoverageReport, EventKind } from "../../sandbox/coverage.js";
import { EVENT_CAUSES, nameOfKind } from "../../sandbox/coverage.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";

type Row = Omit<CoverageReport["operations"][number]["outcomes"][number], "met" | "snippet">;

/** The outcomes of an operation: success, invalid request, and each refusal. */
const outcomesOf = (answers: readonly PossibleAnswer[]): Row[] =>
  [
    ...new Map(
      answers.map(({ outcome, status, section, description }) => [
        outcome,
        { outcome, status, section, description },
      ]),
    ).values(),
  ].flatMap(({ outcome, ...row }) => (outcome === undefined ? [] : [{ outcome, ...row }]));

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
  const operations = OPERATIONS.map((operation) => ({
    operation: operation.id,
    outcomes: outcomesOf(possibleAnswers(operation)).map((row) => {
      const met = coverage.met(operation.id, row.outcome);
      return {
        ...row,
        met,
        ...omitUndefined({ snippet: met === 0 ? outcomeSnippet(operation.id, row) : undefined }),
      };
    }),
  }));
  const events = EVENTS.map((kind) => {
    const met = coverage.sent(kind);
    const section = sectionOf(kind);
    return {
      ...kind,
      met,
      section,
      ...omitUndefined({ snippet: met === 0 ? eventSnippet(kind) : undefined }),
    };
  });
  const behaviours = coverage
    .consulted()
    .map(({ key, consulted }) => ({ key, consulted, section: BEHAVIOUR_TABLE[key].section }));
  return counted({ operations, events, behaviours });
}

function counted(rows: Omit<CoverageReport, "met" | "total">): CoverageReport {
  const all = [...rows.operations.flatMap(({ outcomes }) => outcomes), ...rows.events];
  return { met: all.filter(({ met }) => met > 0).length, total: all.length, ...rows };
}

/** Adds up reports, of parallel jobs for instance. */
export function mergedReports(reports: readonly CoverageReport[]): CoverageReport {
  const operations = [
    ...grouped(
      reports.flatMap(({ operations }) => operations),
      ({ operation }) => operation,
    ),
  ];
  return counted({
    operations: operations.map(([operation, same]) => ({
      operation,
      outcomes: summed(
        same.flatMap(({ outcomes }) => outcomes),
        ({ outcome }) => outcome,
      ),
    })),
    events: summed(
      reports.flatMap(({ events }) => events),
      nameOfKind,
    ),
    behaviours: [
      ...grouped(
        reports.flatMap(({ behaviours }) => behaviours),
        ({ key }) => key,
      ),
    ]
      .map(([key, same]) => ({
        key,
        consulted: same.reduce((sum, { consulted }) => sum + consulted, 0),
        section: same[0]?.section ?? "",
      }))
      .filter(({ consulted }) => consulted > 0),
  });
}

/** The difference of two reports of one server or sandbox. */
export const reportSince = (before: CoverageReport, after: CoverageReport): CoverageReport =>
  mergedReports([
    after,
    {
      ...before,
      operations: before.operations.map(({ operation, outcomes }) => ({
        operation,
        outcomes: outcomes.map((row) => ({ ...row, met: -row.met })),
      })),
      events: before.events.map((row) => ({ ...row, met: -row.met })),
      behaviours: before.behaviours.map((row) => ({ ...row, consulted: -row.consulted })),
    },
  ]);

/** Adds up rows of the same name. */
function summed<R extends { readonly met: number; readonly snippet?: string }>(
  rows: readonly R[],
  nameOf: (row: R) => string,
): R[] {
  return [...grouped(rows, nameOf).values()].flatMap((same) => {
    const [row] = same;
    if (row === undefined) return [];
    const { snippet: _, ...rest } = row;
    const snippet = same.find((each) => each.snippet !== undefined)?.snippet;
    const met = same.reduce((sum, each) => sum + each.met, 0);
    return [{ ...rest, met, ...(met === 0 && snippet !== undefined && { snippet }) } as R];
  });
}

function grouped<R>(rows: readonly R[], nameOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** Per cent. */
export const percentOf = ({ met, total }: Pick<CoverageReport, "met" | "total">): number =>
  total === 0 ? 100 : (100 * met) / total;

type Outcome = Pick<CoverageReport["operations"][number]["outcomes"][number], "outcome" | "status">;

/** Scenario texts by their JSON: a report without calls holds all of the few hundred. */
const written = new Map<string, string>();

function yaml(scenario: object): string {
  const key = JSON.stringify(scenario);
  const text = written.get(key) ?? stringify(scenario, { lineWidth: 0, flowCollectionPadding: true });
  written.set(key, text);
  return text;
}

/** A scenario in which the next call of the operation has this outcome. */
function outcomeSnippet(operation: string, { outcome, status }: Outcome): string {
  // The status excludes calls from before the fault was armed.
  const comes = { expect: { request: { operation, status } } };
  if (outcome === "success")
    return yaml({ name: `The system under test calls ${operation}`, steps: [comes] });
  const fault = { on: "request", match: { operation }, times: 1, then: { refusal: outcome } };
  return yaml({ name: `${operation} is refused: ${outcome}`, steps: [{ fault }, comes] });
}

const STEPS: Readonly<Record<EventKind["cause"], readonly object[]>> = {
  customer: [{ customer: "Hello" }],
  employee: [{ employee: { user: "501", says: "I take over" } }],
  api: [{ expect: { request: { operation: "sendMessageToCustomerThread", status: 200 } } }],
  control: [{ transfer: "1002" }],
};

const LEGACY_WEBHOOK = {
  request: "POST /api/update-hook-url",
  token: "acme-token",
  body: { url: "sink:legacy" },
  expect: 200,
};

/** A scenario that sends such an event, for the shipped fixture. */
const eventSnippet = ({ event, cause, legacy }: EventKind): string =>
  yaml({
    name: `A${legacy ? " legacy" : ""} ${event} event (${cause})`,
    thread: "9001",
    steps: [...(legacy ? [LEGACY_WEBHOOK] : []), ...STEPS[cause], { delivered: event }],
  });

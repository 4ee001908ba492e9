import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp, useSwitch } from "../lib/context";
import { errorMessage } from "../lib/control";
import type { CoverageReport } from "../model/types";
import { Button } from "../parts/button";
import { Check } from "../parts/check";
import { CopyButton } from "../parts/copy-button";
import { ErrorText, Loading } from "../parts/empty";
import { Pill } from "../parts/pill";

type Outcome = CoverageReport["operations"][number]["outcomes"][number];

/** How long the report may be behind the log, ms. */
const REFRESH_MS = 1_000;

/** What the system under test has met of all that it could meet, and how to make the rest happen. */
export default function CoveragePanel() {
  const { session } = useApp();
  const [report, setReport] = useState<CoverageReport | null>(null);
  const [error, setError] = useState("");
  const [missing, setMissing] = useSwitch("coverage.missing");
  const live = session.connection.value.state === "live";
  const readAt = useRef(Number.NEGATIVE_INFINITY);
  const requests = session.requests.entries;
  const deliveries = session.deliveries.entries;
  useEffect(() => {
    const read = () => {
      readAt.current = performance.now();
      session.server
        .call<CoverageReport>("GET", `/sandboxes/${encodeURIComponent(session.sandbox)}/coverage`)
        .then(
          (read) => {
            setReport(read);
            setError("");
          },
          (thrown: unknown) => setError(errorMessage(thrown)),
        );
    };
    const timer = setTimeout(read, readAt.current + REFRESH_MS - performance.now());
    return () => clearTimeout(timer);
  }, [session, requests, deliveries, live]);
  if (error !== "")
    return (
      <div class="panel-scroll">
        <ErrorText text={error} />
      </div>
    );
  if (report === null) return <Loading what="the coverage" />;
  const { met, total, operations, events } = report;
  return (
    <>
      <div class="panel-tools">
        <span class="grow">
          <strong>
            {met} of {total}
          </strong>{" "}
          outcomes met
        </span>
        <Check checked={missing} onCheck={setMissing}>
          Never met
        </Check>
      </div>
      <div class="panel-scroll">
        <ul class="cards" aria-label="Coverage">
          {operations.map(({ operation, outcomes }) => (
            <Rows key={operation} title={operation} rows={outcomes} missing={missing}>
              {(row) => <OutcomeRow key={row.outcome} operation={operation} row={row} />}
            </Rows>
          ))}
          <Rows title="events" rows={events} missing={missing}>
            {(row) => (
              <li key={`${row.event} ${row.cause} ${row.legacy}`} class="row">
                <Met met={row.met} />
                <span class="grow">
                  {row.event} ({row.cause}
                  {row.legacy ? ", legacy" : ""})
                </span>
                {row.snippet === undefined ? null : (
                  <CopyButton
                    text={row.snippet}
                    label={`Copy scenario for ${row.event} (${row.cause})`}
                    small
                  />
                )}
              </li>
            )}
          </Rows>
        </ul>
      </div>
    </>
  );
}

interface RowsProps<R> {
  readonly title: string;
  readonly rows: readonly R[];
  /** Only those that were never met. */
  readonly missing: boolean;
  readonly children: (row: R) => preact.ComponentChild;
}

function Rows<R extends { readonly met: number }>({ title, rows, missing, children }: RowsProps<R>) {
  const met = rows.filter((row) => row.met > 0).length;
  const shown = missing ? rows.filter((row) => row.met === 0) : rows;
  if (shown.length === 0) return null;
  return (
    <li class="card">
      <details open={met > 0}>
        <summary>
          <strong>{title}</strong>{" "}
          <span class="muted">
            {met} of {rows.length}
          </span>
        </summary>
        <ul class="coverage-rows">{shown.map(children)}</ul>
      </details>
    </li>
  );
}

const Met = ({ met }: { met: number }) =>
  met === 0 ? <Pill tone="warn">never</Pill> : <Pill tone="good">{met}×</Pill>;

/** One outcome; a refusal that was never met can be ordered for the next call. */
function OutcomeRow({ operation, row }: { operation: string; row: Outcome }) {
  const { session } = useApp();
  const action = useAction();
  const { outcome, status, met, description, snippet } = row;
  const order = () =>
    action.run(() =>
      session.transport.call("POST", "/faults", {
        body: { on: "request", match: { operation }, times: 1, then: { refusal: outcome } },
      }),
    );
  return (
    <li class="row" title={description}>
      <Met met={met} />
      <span class="grow">
        {status} {outcome}
      </span>
      {snippet === undefined ? null : (
        <>
          {outcome === "success" ? null : (
            <Button
              class="small"
              aria-label={`Refuse the next ${operation}: ${outcome}`}
              disabled={action.busy}
              onClick={order}
            >
              Next call
            </Button>
          )}
          <CopyButton text={snippet} label={`Copy scenario for ${outcome} of ${operation}`} small />
        </>
      )}
      {action.error === "" ? null : <ErrorText text={action.error} />}
    </li>
  );
}

import { useEffect, useState } from "preact/hooks";
import { type Place, useApp } from "../lib/context";
import { errorMessage } from "../lib/control";
import { plural } from "../lib/format";
import { runScenario, stopScenario } from "../model/run-scenario";
import { isEnded, isRunning, type KeptReport } from "../model/runs";
import type { Session } from "../model/session";
import type { Report, ScenarioInfo } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Empty, ErrorText, Loading } from "../parts/empty";
import { Pill } from "../parts/pill";
import { Segments } from "../parts/segments";
import { ReportView, StepList } from "./report";

/** The scenarios that the server knows; each can be run and then shows its report. */
export default function ScenariosPanel() {
  const { session } = useApp();
  const { runs } = session;
  const last = session.ran.value;
  const live = session.connection.value.state === "live";
  const [list, setList] = useState<readonly ScenarioInfo[] | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!live) return;
    setError("");
    session.transport
      .call<ScenarioInfo[]>("GET", "/scenarios")
      .then(setList, (thrown: unknown) => setError(errorMessage(thrown)));
  }, [session, live]);
  if (error !== "")
    return (
      <div class="panel-scroll">
        <ErrorText text={error} />
      </div>
    );
  if (list === null) return <Loading what="the scenarios" />;
  return (
    <div class="panel-scroll">
      <RunPlace />
      {list.length === 0 ? (
        <Empty title="No scenarios found">
          Built-in scenarios and those of the server's working folder appear here.
        </Empty>
      ) : (
        <ul class="cards" aria-label="Scenarios">
          {last === null || runs.byName.size > 0 ? null : (
            <li class="card">
              <div class="row spread">
                <div class="scenario-name">
                  <strong>{last.name}</strong>
                  <p class="muted small-text">Last run in this sandbox</p>
                </div>
                <Outcome report={last} />
              </div>
              <ReportView report={last} place={{ sandbox: session.sandbox, run: session.run.value }} />
            </li>
          )}
          <Bounded items={list}>
            {({ name, file }) => <ScenarioCard key={file} name={name} file={file} />}
          </Bounded>
        </ul>
      )}
    </div>
  );
}

const PLACES = [
  [false, "New sandbox per run"],
  [true, "This sandbox"],
] as const;

/** Chooses where scenarios run, and says what that does to the sandbox that is shown. */
function RunPlace() {
  const { session } = useApp();
  const { here } = session.runs;
  return (
    <div class="stack pad">
      <Segments
        label="Run in"
        choices={PLACES}
        chosen={here.value}
        onChoose={(isHere) => {
          here.value = isHere;
        }}
      />
      <p class="muted small-text">
        {here.value
          ? `A scenario that names fixtures, clock, seed or behaviour resets ${session.sandbox} first: messages, clock, faults, behaviour and logs are lost. Other scenarios continue from the current state.`
          : `Each run gets a new sandbox from the fixture, with its webhooks; ${session.sandbox} stays as it is. The new one is deleted at the next run or when you leave it.`}
      </p>
    </div>
  );
}

const Outcome = ({ report: { ok } }: { report: Report }) => (
  <Pill tone={ok ? "good" : "bad"}>{ok ? "passed" : "failed"}</Pill>
);

/** A scenario: a button that runs it, its steps as they end, and its report. */
function ScenarioCard({ name, file }: { name: string; file: string }) {
  const { session } = useApp();
  const run = session.runs.byName.get(name);
  return (
    <li class="card">
      <div class="row spread">
        <div class="scenario-name">
          <strong>{name}</strong>
          <p class="muted small-text" title={file}>
            {file.split(/[\\/]/).slice(-2).join("/")}
          </p>
        </div>
        {isEnded(run) ? <Outcome report={run.report} /> : null}
        {isRunning(run) ? (
          <Button
            icon="cross"
            class="small"
            aria-label={`Cancel ${name}`}
            onClick={() => stopScenario(session, name)}
          >
            Cancel
          </Button>
        ) : (
          <Button
            icon="play"
            class="small"
            aria-label={`Run ${name}`}
            onClick={() => runScenario(session, name)}
          >
            Run
          </Button>
        )}
      </div>
      {run === undefined ? null : isRunning(run) ? (
        <>
          <p class="muted" role="status">
            <span class="spinner small" aria-hidden="true" /> Running…{" "}
            {run.done === 0 ? "" : `${plural(run.done, "step")} done`}
          </p>
          <StepList
            label={`Steps so far of ${name}`}
            steps={run.steps}
            place={run.own ? null : { sandbox: session.sandbox, run: session.run.value }}
          />
        </>
      ) : run instanceof Error ? (
        <ErrorText text={run.message} />
      ) : (
        <>
          <SandboxLink id={run.report.sandbox} />
          <ReportView report={run.report} place={placeOf(session, run)} />
        </>
      )}
    </li>
  );
}

/** Where the entries are that a report names; null where their sandbox is gone. */
const placeOf = ({ sandboxes }: Session, { report: { sandbox }, run }: KeptReport): Place | null =>
  sandboxes.value.includes(sandbox) ? { sandbox, run } : null;

/** Leads to the sandbox in which a scenario ran; nothing for the one that is shown, and one that is gone. */
function SandboxLink({ id }: { id: string }) {
  const { session, navigate } = useApp();
  if (id === session.sandbox || !session.sandboxes.value.includes(id)) return null;
  return (
    <p class="small-text">
      Ran in{" "}
      <Button class="link" onClick={() => navigate({ sandbox: id, thread: null, item: null })}>
        sandbox {id}
      </Button>
    </p>
  );
}

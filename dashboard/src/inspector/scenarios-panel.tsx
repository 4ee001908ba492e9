import { useEffect, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { errorMessage } from "../lib/control";
import { controlCurl } from "../lib/curl";
import { runScenario } from "../model/runs";
import type { Report, ScenarioInfo } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Empty, ErrorText, Loading } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { ReportView } from "./report";

interface LastRun {
  readonly report: Report;
}

const Outcome = ({ report: { ok } }: { report: Report }) => (
  <Pill tone={ok ? "good" : "bad"}>{ok ? "passed" : "failed"}</Pill>
);

/** The scenarios that the server knows; each can be run and then shows its report. */
export function ScenariosPanel() {
  const { session } = useApp();
  const { runs } = session;
  const ran = session.ran.value;
  const live = session.connection.value.state === "live";
  const [list, setList] = useState<readonly ScenarioInfo[] | null>(null);
  const [last, setLast] = useState<Report | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!live) return;
    setError("");
    session.transport.call<LastRun | null>("GET", "/scenarios/last").then(
      (run) => setLast(run?.report ?? null),
      (thrown: unknown) => setError(errorMessage(thrown)),
    );
    session.transport
      .call<ScenarioInfo[]>("GET", "/scenarios")
      .then(setList, (thrown: unknown) => setError(errorMessage(thrown)));
  }, [session, live, ran]);
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
        <Empty
          title="No scenarios found"
          command={controlCurl(session, "/scenarios/run", {
            scenario: {
              name: "Hello",
              thread: "9001",
              steps: [{ customer: "Hello" }, { delivered: "message" }],
            },
          })}
        >
          Those that ship and those of the server's working folder are listed here. One can also be sent as it
          is:
        </Empty>
      ) : (
        <ul class="cards" aria-label="Scenarios">
          {last === null || runs.all.size > 0 ? null : (
            <li class="card">
              <div class="row spread">
                <div class="scenario-name">
                  <strong>{last.name}</strong>
                  <p class="muted small-text">The last run in this sandbox</p>
                </div>
                <Outcome report={last} />
              </div>
              <ReportView report={last} place={{ sandbox: session.sandbox, run: session.run.value }} />
            </li>
          )}
          <Bounded items={list}>
            {({ name, file }) => {
              const ran = runs.all.get(name);
              return (
                <li key={file} class="card">
                  <div class="row spread">
                    <div class="scenario-name">
                      <strong>{name}</strong>
                      <p class="muted small-text break" title={file}>
                        {file.split(/[\\/]/).slice(-2).join("/")}
                      </p>
                    </div>
                    {ran !== undefined && ran !== "running" && !(ran instanceof Error) ? (
                      <Outcome report={ran.report} />
                    ) : null}
                    <button
                      type="button"
                      class="small"
                      aria-label={`Run ${name}`}
                      disabled={ran === "running"}
                      onClick={() => runScenario(session, name)}
                    >
                      <Icon name="play" />
                      {ran === "running" ? "Running…" : "Run"}
                    </button>
                  </div>
                  {ran === undefined ? null : ran === "running" ? (
                    <p class="muted" role="status">
                      <span class="spinner small" aria-hidden="true" /> Running…
                    </p>
                  ) : ran instanceof Error ? (
                    <ErrorText text={ran.message} />
                  ) : (
                    <>
                      <SandboxLink id={ran.report.sandbox} />
                      <ReportView report={ran.report} place={{ sandbox: ran.report.sandbox, run: ran.run }} />
                    </>
                  )}
                </li>
              );
            }}
          </Bounded>
        </ul>
      )}
    </div>
  );
}

/** Leads to the sandbox in which a scenario ran; nothing for the one that is shown. */
function SandboxLink({ id }: { id: string }) {
  const { session, navigate } = useApp();
  if (id === session.sandbox) return null;
  return (
    <p class="small-text">
      Ran in{" "}
      <button type="button" class="link" onClick={() => navigate({ sandbox: id, thread: null, item: null })}>
        sandbox {id}
      </button>
    </p>
  );
}

/** Chooses where scenarios run, and says what that does to the sandbox that is shown. */
function RunPlace() {
  const { session } = useApp();
  const { here } = session.runs;
  const choices = [
    [false, "A sandbox of its own"],
    [true, "This sandbox"],
  ] as const;
  return (
    <div class="stack pad">
      <fieldset class="segments">
        <legend class="visually-hidden">Run in</legend>
        {choices.map(([value, label]) => (
          <label key={label}>
            <input
              type="radio"
              name="run-place"
              checked={here.value === value}
              onChange={() => {
                here.value = value;
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p class="muted small-text">
        {here.value
          ? `A scenario that names fixtures, clock, seed or behaviour resets ${session.sandbox} first: messages, clock, faults, behaviour and logs are lost. Others go on from how it stands.`
          : `Made from the fixture for each run, with its webhooks; ${session.sandbox} stays as it is.`}
      </p>
    </div>
  );
}

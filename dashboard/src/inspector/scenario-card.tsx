import { useState } from "preact/hooks";
import { useAction } from "../lib/action";
import type { Place } from "../lib/context";
import { useApp } from "../lib/context";
import { plural } from "../lib/format";
import { runScenario, stopScenario } from "../model/run-scenario";
import type { KeptReport } from "../model/runs";
import { isEnded, isRunning } from "../model/runs";
import type { Session } from "../model/session";
import type { Report } from "../model/types";
import { Code } from "../parts/code";
import { ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { ReportView, StepList } from "./report";

export const Outcome = ({ report: { ok } }: { report: Report }) => (
  <Pill tone={ok ? "good" : "bad"}>{ok ? "passed" : "failed"}</Pill>
);

interface Props {
  readonly name: string;
  readonly file: string;
}

/** A scenario: its file, a button that runs it, its steps as they end, and its report. */
export function ScenarioCard({ name, file }: Props) {
  const { session } = useApp();
  const action = useAction();
  const [text, setText] = useState<string | null>(null);
  const run = session.runs.byName.get(name);
  const show = () =>
    action.run(async () => {
      const path = `/scenarios/files/${encodeURIComponent(name)}`;
      setText((await session.transport.call<{ text: string }>("GET", path)).text);
    });
  return (
    <li class="card">
      <div class="row spread">
        <div class="scenario-name">
          <strong>{name}</strong>
          <p class="muted small-text break" title={file}>
            {file.split(/[\\/]/).slice(-2).join("/")}
          </p>
        </div>
        {isEnded(run) ? <Outcome report={run.report} /> : null}
        <button
          type="button"
          class="ghost small"
          aria-label={`${text === null ? "Show" : "Hide"} the file of ${name}`}
          aria-expanded={text !== null}
          onClick={() => (text === null ? show() : setText(null))}
        >
          File
        </button>
        {isRunning(run) ? (
          <button
            type="button"
            class="small"
            aria-label={`Cancel ${name}`}
            onClick={() => stopScenario(session, name)}
          >
            <Icon name="cross" />
            Cancel
          </button>
        ) : (
          <button
            type="button"
            class="small"
            aria-label={`Run ${name}`}
            disabled={session.runs.all.value !== null}
            onClick={() => runScenario(session, name)}
          >
            <Icon name="play" />
            Run
          </button>
        )}
      </div>
      <ErrorText text={action.error} />
      {text === null ? null : <Code label={`File of ${name}`} value={text} />}
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
      <button type="button" class="link" onClick={() => navigate({ sandbox: id, thread: null, item: null })}>
        sandbox {id}
      </button>
    </p>
  );
}

import type { Place } from "../lib/context";
import { tookMs } from "../lib/format";
import type { Report, StepReport } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { Icon } from "../parts/icon";
import { ItemLink } from "./row-parts";

/** The result of a scenario, step by step; a failed step says what was expected and what was seen. */
export const ReportView = ({ report, place }: { report: Report; place: Place | null }) => (
  <>
    <p class="muted small-text">
      {report.steps.filter(({ ok }) => ok).length} of {report.steps.length} steps in{" "}
      {tookMs(report.durationMs)}
    </p>
    <StepList label={`Steps of ${report.name}`} steps={report.steps} place={place} />
    {report.unexpected.length === 0 ? null : (
      <div class="step-why">
        <p class="muted small-text">Unexpected calls by your bot:</p>
        <ul>
          <Bounded items={report.unexpected} step={20}>
            {({ id, summary }) => (
              <li key={id}>
                <ItemLink id={id} place={place}>
                  {id}
                </ItemLink>{" "}
                {summary}
              </li>
            )}
          </Bounded>
        </ul>
      </div>
    )}
    <div class="row">
      <CopyButton text={JSON.stringify(report, null, 2)} label="Copy report" />
      {report.transcript === undefined ? null : (
        <CopyButton text={report.transcript} label="Copy transcript of the run" />
      )}
    </div>
  </>
);

interface StepsProps {
  readonly label: string;
  readonly steps: readonly StepReport[];
  readonly place: Place | null;
}

export const StepList = ({ label, steps, place }: StepsProps) => (
  <ol class="steps" aria-label={label}>
    <Bounded items={steps}>{(step, at) => <Step key={at} step={step} place={place} />}</Bounded>
  </ol>
);

function Step({ step, place: at }: { step: StepReport; place: Place | null }) {
  const state = step.skipped ? "skipped" : step.ok ? "good" : "bad";
  const outcome = { good: "passed", bad: "failed", skipped: "not run" }[state];
  const { place, latencyMs, durationMs, note, message } = step;
  const took = latencyMs ?? durationMs;
  return (
    <li class={`step ${state}`}>
      <p class="row">
        <Icon name={state === "good" ? "check" : state === "bad" ? "cross" : "dots"} />
        <span class="visually-hidden">{outcome}</span>
        <span class="grow">
          {step.name}
          {step.rounds === undefined ? "" : ` (round ${step.rounds.join(".")})`}
          {note === undefined ? null : <span class="muted block"> {note}</span>}
        </span>
        <span class="muted small-text">
          {step.skipped ? outcome : took === undefined ? "" : tookMs(took)}
        </span>
      </p>
      {state === "bad" ? (
        <div class="step-why">
          {message === undefined ? null : <p>{message}</p>}
          <p class="muted small-text">
            {place.file === undefined ? place.path : `${place.file}:${place.line}:${place.column}`}
          </p>
          {step.expected === undefined ? null : <Code label="Expected" value={step.expected} />}
          {step.seen === undefined ? null : <Code label="Seen" value={step.seen} />}
          {step.nearMisses === undefined || step.nearMisses.length === 0 ? null : (
            <ul aria-label="Nearest">
              {step.nearMisses.map(({ id, summary, differences }) => (
                <li key={id}>
                  <ItemLink id={id} place={at}>
                    {id}
                  </ItemLink>{" "}
                  {summary}
                  <Code label="Differences" value={differences} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ) : null}
    </li>
  );
}

import { shortMs } from "../lib/format";
import type { ReportStep, ScenarioReport } from "../model/types";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy-button";
import { Icon } from "../parts/icon";

/** How a scenario went, step by step; a failed step says what was expected and what was seen. */
export const Report = ({ report }: { report: ScenarioReport }) => (
  <>
    <ol class="steps" aria-label={`Steps of ${report.name}`}>
      {report.steps.map((step, at) => (
        <Step key={at} step={step} />
      ))}
    </ol>
    <CopyButton text={JSON.stringify(report, null, 2)} label="Copy report" />
  </>
);

const Step = ({ step }: { step: ReportStep }) => (
  <li class={step.ok ? "step good" : "step bad"}>
    <p class="row">
      <Icon name={step.ok ? "check" : "cross"} />
      <span class="visually-hidden">{step.ok ? "passed" : "failed"}</span>
      <span class="grow">{step.name}</span>
      <span class="muted small-text">{step.latencyMs === undefined ? "" : shortMs(step.latencyMs)}</span>
    </p>
    {step.ok ? null : (
      <div class="step-why">
        {step.place === undefined ? null : <p class="muted small-text break">{step.place}</p>}
        {step.expected === undefined ? null : <Code label="Expected" value={step.expected} />}
        {step.seen === undefined ? null : <Code label="Seen" value={step.seen} />}
        {step.nearMisses === undefined ? null : <Code label="Nearest" value={step.nearMisses} />}
      </div>
    )}
  </li>
);

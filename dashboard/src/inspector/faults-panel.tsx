import { useState } from "preact/hooks";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import { ruleName, ruleScope } from "../model/fault-descriptions";
import type { FaultPreset } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Empty, ErrorText } from "../parts/empty";
import { Pill } from "../parts/pill";
import { Segments } from "../parts/segments";
import { wholeIn } from "./fault-draft";
import "../styles/faults.css";

/** Fault presets to arm, and the armed faults with their counters. */
export default function FaultsPanel() {
  const { session } = useApp();
  const action = useAction();
  const faults = session.faults.value;
  const armed = session.armed.value;
  const disarm = (id?: string) =>
    action.run(() => session.transport.call("DELETE", id === undefined ? "/faults" : `/faults/${id}`));
  return (
    <div class="panel-scroll">
      <ArmFault />
      <ErrorText text={action.error} />
      {faults.length === 0 ? (
        <Empty title="No faults">Calls and deliveries work as usual.</Empty>
      ) : (
        <>
          <div class="row spread pad">
            <h3>{armed.length === 0 ? "No fault is armed" : "Armed"}</h3>
            <Button class="small" onClick={() => disarm()}>
              Disarm all
            </Button>
          </div>
          <ul class="cards" aria-label="Armed faults">
            <Bounded items={faults}>
              {(rule) => (
                <li key={rule.id} class="card fault">
                  <div class="row spread">
                    <strong>{ruleName(rule)}</strong>
                    {armed.includes(rule) ? null : <Pill tone="quiet">used up</Pill>}
                    <span class="counter" role="status">
                      fired <b>{rule.fired}</b>
                      {rule.times === undefined ? "" : ` of ${rule.times}`} · seen <b>{rule.seen}</b>
                    </span>
                  </div>
                  <p class="muted">on {ruleScope(rule)}</p>
                  <div class="row">
                    <Button class="ghost small" onClick={() => disarm(rule.id)}>
                      Disarm {rule.id}
                    </Button>
                  </div>
                </li>
              )}
            </Bounded>
          </ul>
        </>
      )}
    </div>
  );
}

const FaultForm = lazy("the form", () => import("./fault-form"));

type Target = "request" | "delivery";

const PRESETS = [
  ["unavailable", "answers 503", "both"],
  ["rate-limited", "answers 429 with Retry-After", "both"],
  ["slow", "adds a delay of two to five seconds", "both"],
  ["hang-up", "closes the connection", "both"],
  ["token-expired", "treats the token as expired", "request"],
  ["bad-signature", "signs with a wrong secret", "delivery"],
  ["stale-signature", "signs with an old timestamp", "delivery"],
] as const satisfies readonly (readonly [FaultPreset, description: string, on: "both" | Target])[];

const TARGETS = [
  ["request", "Calls to the API"],
  ["delivery", "Deliveries"],
] as const satisfies [Target, string][];

/** Arms a preset for calls to the API or for deliveries to webhooks. */
function ArmFault() {
  const { session } = useApp();
  const [target, setTarget] = useState<Target>("request");
  const [isByHand, setByHand] = useState(false);
  const [times, setTimes] = useState("");
  const action = useAction();
  const signed = session.behaviourValue("delivery.signature") != null;
  const arm = (preset: string) =>
    action.run(async () => {
      const body = omitUndefined({ on: target, then: preset, times: wholeIn(times, "Times") });
      await session.transport.call("POST", "/faults", { body });
    });
  const whyNot = (name: string, fits: string): string => {
    if (fits !== "both" && fits !== target) return `only for ${fits === "request" ? "calls" : "deliveries"}`;
    return name.endsWith("signature") && !signed ? "signing is off: see delivery.signature" : "";
  };
  return (
    <section class="arm" aria-label="Arm a fault">
      <div class="row spread">
        <Segments label="Applied to" choices={TARGETS} chosen={target} onChoose={setTarget} />
        <label class="inline-field">
          <span>Times</span>
          <input
            class="tiny"
            inputMode="numeric"
            placeholder="always"
            size={6}
            value={times}
            onInput={(event) => setTimes(event.currentTarget.value)}
          />
        </label>
      </div>
      <ul class="presets">
        {PRESETS.map(([name, description, fits]) => {
          const why = whyNot(name, fits);
          return (
            <li key={name}>
              <Button
                icon="bolt"
                class="preset"
                aria-disabled={why !== "" || action.busy}
                onClick={() => (why === "" && !action.busy ? void arm(name) : undefined)}
              >
                <span>
                  <b>{name}</b>
                  <small>{why === "" ? description : why}</small>
                </span>
              </Button>
            </li>
          );
        })}
      </ul>
      <ErrorText text={action.error} />
      <details onToggle={({ currentTarget }) => setByHand(currentTarget.open)}>
        <summary>Fault by hand</summary>
        {isByHand ? <FaultForm key={target} on={target} times={times} /> : null}
      </details>
    </section>
  );
}

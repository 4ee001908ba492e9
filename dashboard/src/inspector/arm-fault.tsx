import { useState } from "preact/hooks";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import type { FaultPreset } from "../model/types";
import { ErrorText } from "../parts/empty";
import { Icon } from "../parts/icon";
import { wholeIn } from "./fault-draft";

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

/** Arms a preset for calls to the API or for deliveries to webhooks. */
export function ArmFault() {
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
        <fieldset class="segments">
          <legend class="visually-hidden">Applied to</legend>
          {(["request", "delivery"] as const).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="fault-target"
                checked={target === name}
                onChange={() => setTarget(name)}
              />
              <span>{name === "request" ? "Calls to the API" : "Deliveries"}</span>
            </label>
          ))}
        </fieldset>
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
              <button
                type="button"
                class="preset"
                aria-disabled={why !== "" || action.busy}
                onClick={() => (why === "" && !action.busy ? void arm(name) : undefined)}
              >
                <Icon name="bolt" />
                <span>
                  <b>{name}</b>
                  <small>{why === "" ? description : why}</small>
                </span>
              </button>
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

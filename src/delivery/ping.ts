import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Run } from "../sandbox/run.js";
import type { Webhook } from "../world/records.js";
import { isSuccess } from "./attempt.js";
import type { Outcome } from "./call.js";
import type { Dispatcher } from "./dispatcher.js";
import type { Stage } from "./failure.js";
import { failureOf } from "./failure.js";
import { mergeHeaders } from "./headers.js";
import type { Sender } from "./sender.js";
import { signatureHeaders } from "./signature.js";
import type { Target } from "./target.js";

/** One thing that can stand between the simulator and a receiver. */
export interface PingStep {
  readonly step: "guard" | "name" | "connection" | "tls" | "status";
  readonly ok: boolean;
  readonly message: string;
}

/** What the receiver of a webhook answers when it is tried by hand; the last step is the one that failed, if one did. */
export interface Ping {
  readonly ok: boolean;
  readonly message: string;
  readonly steps: readonly PingStep[];
}

/** What a ping posts: no event, so that no receiver takes it for one. The header `x-sim-ping` says what it is. */
const BODY = Buffer.from("{}");
const ID = "ping";

/**
 * Tries the receiver of a webhook once with a POST of `{}`, the webhook's headers and `x-sim-ping: 1`, signed where
 * deliveries are signed. Nothing is entered in the delivery log and no fault applies.
 */
export async function ping(run: Run, webhook: Webhook, carrier: Dispatcher, sender: Sender): Promise<Ping> {
  const steps: PingStep[] = [];
  const pass = (step: PingStep["step"], message: string) => steps.push({ step, ok: true, message });
  const stop = (step: PingStep["step"], message: string): Ping => {
    steps.push({ step, ok: false, message });
    return { ok: false, message, steps };
  };
  const resolution = carrier.resolve(webhook.url);
  if ("unusable" in resolution) return stop("name", resolution.unusable);
  if ("blocked" in resolution) return stop("guard", resolution.blocked);
  const { target } = resolution;
  pass("guard", `calls to ${target.hostname} may go out`);
  const named = await addressOf(target.hostname);
  if ("problem" in named) return stop("name", named.problem);
  pass("name", named.message);
  const outcome = await callOnce(run, webhook, carrier, sender, target);
  if (outcome.stage === "name" || outcome.stage === "connection")
    return stop(outcome.stage, `${target.origin}: ${outcome.error}`);
  pass("connection", `${target.origin} accepts connections`);
  if (outcome.stage === "tls") return stop("tls", `${target.origin}: ${outcome.error}`);
  if (target.secure) pass("tls", "the certificate is accepted");
  if (outcome.stage !== null) return stop("status", `${webhook.url}: ${outcome.error}`);
  const answer = `${webhook.url} answers ${outcome.status} after ${Math.round(outcome.durationMs)} ms`;
  if (!isSuccess(outcome, run.behaviour.values["delivery.success"]))
    return stop("status", `${answer}, which does not count as success (delivery.success)`);
  pass("status", answer);
  return { ok: true, message: answer, steps };
}

async function addressOf(hostname: string): Promise<{ message: string } | { problem: string; stage: Stage }> {
  if (isIP(hostname) !== 0) return { message: `${hostname} is an address` };
  try {
    return { message: `${hostname} is ${(await lookup(hostname)).address}` };
  } catch (error) {
    const { stage, words } = failureOf(error as Error, hostname);
    return { problem: words, stage };
  }
}

function callOnce(
  run: Run,
  webhook: Webhook,
  carrier: Dispatcher,
  sender: Sender,
  target: Target,
): Promise<Outcome> {
  const { "delivery.signature": signature, "delivery.timeoutMs": timeoutMs } = run.behaviour.values;
  const signed = signature === null ? {} : signatureHeaders(signature, ID, BODY, undefined);
  const headers = mergeHeaders(carrier.headersOf(webhook), { "x-sim-ping": "1" }, signed);
  return new Promise((resolve) => sender.send({ target, headers, body: BODY, timeoutMs }, resolve));
}

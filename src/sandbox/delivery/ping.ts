import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { maskedAddress, maskedText } from "../../kernel/masking.js";
import type { Webhook } from "../../service/world/records.js";
import { type DeliveryContext, isSuccess, sendFollowing } from "./attempt.js";
import { requestHeaders, sentTo, signatureHeaders } from "./headers.js";
import { describeFailure } from "./http.js";

interface PingStep {
  readonly step: "guard" | "name" | "connection" | "tls" | "status";
  readonly ok: boolean;
  readonly message: string;
}

/** The report of a ping, step by step; the last step is the one that failed, if any. */
export interface Ping {
  readonly ok: boolean;
  readonly message: string;
  readonly steps: readonly PingStep[];
}

/** The body of a ping: not an event, so that no receiver mistakes it for one. The header `x-sim-ping` marks it. */
const BODY = Buffer.from("{}");

/**
 * Calls the receiver of a webhook once with a POST of `{}`, the webhook's headers and `x-sim-ping: 1`, signed if
 * deliveries are. Nothing is added to the delivery log, and no fault applies.
 */
export async function ping(webhook: Webhook, context: Omit<DeliveryContext, "limit">): Promise<Ping> {
  const { run, targets } = context;
  const { values } = run.behaviour;
  const steps: PingStep[] = [];
  const pass = (step: PingStep["step"], message: string) => steps.push({ step, ok: true, message });
  const fail = (step: PingStep["step"], message: string): Ping => {
    steps.push({ step, ok: false, message });
    return { ok: false, message, steps };
  };
  const resolution = targets.resolve(webhook.url, run.sandboxId, run.epoch);
  if ("unusable" in resolution) return fail("name", maskedText(resolution.unusable));
  if ("blocked" in resolution) return fail("guard", resolution.blocked);
  const { target } = resolution;
  pass("guard", `calls to ${target.hostname} are allowed`);
  const { step, ok, message } = await resolveName(target.hostname, targets.guard.lookup);
  if (!ok) return fail(step, message);
  pass(step, message);
  let { origin } = target;
  const headers = requestHeaders(
    context.userAgent,
    sentTo(webhook.extraHeaders, target.isOwn, values),
    { "x-sim-ping": "1" },
    signatureHeaders(values["delivery.signature"], "ping", BODY),
  );
  const request = { target, headers, body: BODY, hops: 0, timeoutMs: values["delivery.timeoutMs"] };
  const outcome = await sendFollowing(request, context, values, (each) => {
    origin = each.target.origin;
    return context.http.send(each);
  });
  const { stage, error } = outcome;
  if (stage === "name" || stage === "connection") return fail(stage, `${origin}: ${error}`);
  pass("connection", `${origin} accepts connections`);
  if (stage === "tls") return fail("tls", `${origin}: ${error}`);
  if (target.secure) pass("tls", "the certificate is accepted");
  const url = maskedAddress(webhook.url);
  if (stage !== null) return fail("status", `${url}: ${error}`);
  const answer = `${url} answers ${outcome.status} after ${Math.round(outcome.durationMs)} ms`;
  if (!isSuccess(outcome, values["delivery.success"])) {
    const why = target.isOwn ? `: ${outcome.responseBody}` : "";
    return fail("status", `${answer}, which does not count as success (delivery.success)${why}`);
  }
  pass("status", answer);
  return { ok: true, message: answer, steps };
}

/** Reports a host's address, or that it has none, or none that may be called. */
const resolveName = (hostname: string, lookup: LookupFunction): Promise<PingStep> =>
  new Promise((resolve) => {
    if (isIP(hostname) !== 0) resolve({ step: "name", ok: true, message: `${hostname} is an address` });
    else
      lookup(hostname, { all: true }, (error, found) => {
        if (error !== null) {
          const { stage, message } = describeFailure(error, hostname);
          return resolve({ step: stage === "guard" ? stage : "name", ok: false, message });
        }
        const [first] = found as LookupAddress[];
        resolve({ step: "name", ok: true, message: `${hostname} is ${first?.address}` });
      });
  });

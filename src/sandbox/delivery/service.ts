import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import pLimit from "p-limit";
import { BOUNDS } from "../../kernel/bounds.js";
import { type Logger, SILENT } from "../../kernel/errors.js";
import { maskedAddress, maskedText } from "../../kernel/masking.js";
import type { Webhook } from "../../service/world/records.js";
import type { Delivery, Outbox } from "../deliveries.js";
import type { Cause } from "../journal.js";
import type { Run } from "../run.js";
import { type DeliveryContext, isSuccess, sendFollowing } from "./attempt.js";
import { isSignatureHeader, requestHeaders, sentTo, signatureHeaders } from "./headers.js";
import { describeFailure, HttpClient } from "./http.js";
import { DeliveryOutbox } from "./queue.js";
import { type HostRewrite, OutboundGuard, Targets } from "./target.js";

export interface DeliveryOptions {
  /** Returns the simulator's own base address, where its sinks are and whose certificate is trusted. */
  readonly ownUrl: () => string;
  /** Hosts outside this machine and its local networks that may be called; `*` allows all. */
  readonly allowOutbound: readonly string[];
  readonly rewriteHosts: readonly HostRewrite[];
  readonly ca?: string | undefined;
  readonly insecureTls?: boolean;
  readonly userAgent: string;
  /** Resolves the names of receivers; default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Logs failed attempts and blocked or dropped deliveries at level info. */
  readonly logger?: Logger;
}

/** Sends the deliveries of all sandboxes of one simulator: an outbox for each run, and one HTTP client for all. */
export class DeliveryService {
  readonly #shared: Omit<DeliveryContext, "run" | "limit">;

  constructor(options: DeliveryOptions) {
    const { ownUrl, allowOutbound, rewriteHosts, ca, insecureTls, userAgent, logger = SILENT } = options;
    const guard = new OutboundGuard(allowOutbound, options.lookup);
    const targets = new Targets(ownUrl, guard, rewriteHosts);
    const http = new HttpClient({ ca, insecureTls, targets });
    this.#shared = { http, targets, userAgent, logger };
  }

  createOutbox(run: Run): Outbox {
    return new DeliveryOutbox({ ...this.#shared, run, limit: pLimit(BOUNDS.deliveryCalls.limit) });
  }

  /**
   * Sends the body of a delivery again, as a new delivery to its webhook as it is now, or to the old address if that was deleted.
   * It is sent even if the webhook is disabled. @throws Refusal if this cannot be saved
   */
  replay(run: Run, delivery: Delivery, cause: Cause): Delivery {
    run.saver.check();
    const { webhookId, hookId, url, headers } = delivery;
    const extraHeaders = Object.entries(headers)
      .filter(([name]) => !isSignatureHeader(name))
      .map(([name, value]) => ({ name, value }));
    const webhook = run.world.get("webhooks", webhookId) ?? { id: webhookId, hookId, url, extraHeaders };
    return run.deliveries.deliver(cause, { ...webhook, byHand: true }, delivery);
  }

  /** Calls the receiver of a webhook once, and explains what is wrong. */
  ping(run: Run, webhook: Webhook): Promise<Ping> {
    return ping(webhook, { ...this.#shared, run });
  }

  /** Why the outbound guard blocks deliveries to an address, and which option would allow them; null if it does not. */
  objection({ sandboxId }: Run, url: string): string | null {
    const resolution = this.#shared.targets.resolve(url, sandboxId);
    return "blocked" in resolution ? resolution.blocked : null;
  }

  /** Closes all connections. Close the runs first: attempts in flight end with them. */
  close(): Promise<void> {
    return this.#shared.http.close();
  }
}

interface PingStep {
  readonly step: "guard" | "name" | "connection" | "tls" | "status";
  readonly ok: boolean;
  readonly message: string;
}

/** The report of a ping, step by step; the last step is the one that failed, if any. */
interface Ping {
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
async function ping(webhook: Webhook, context: Omit<DeliveryContext, "limit">): Promise<Ping> {
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
    sentTo(webhook.extraHeaders, target.isOwn),
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

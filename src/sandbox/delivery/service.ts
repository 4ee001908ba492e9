import type { LookupFunction } from "node:net";
import pLimit from "p-limit";
import { BOUNDS } from "../../kernel/bounds.js";
import { type Logger, SILENT } from "../../kernel/errors.js";
import { PING_HEADER } from "../../kernel/http/target.js";
import type { Webhook } from "../../service/world/records.js";
import type { Delivery, Outbox } from "../deliveries.js";
import type { Cause } from "../journal.js";
import type { Run } from "../run.js";
import { type DeliveryContext, isSignatureHeader, isSuccess, requestTo, sendFollowing } from "./attempt.js";
import { type FailureStage, HttpClient } from "./http.js";
import { DeliveryOutbox } from "./queue.js";
import { type HostRewrite, OutboundGuard, Targets } from "./target.js";

export interface DeliveryOptions {
  /** The simulator's own base address, where its sinks are and whose certificate is trusted. */
  readonly ownUrl: string;
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

  /**
   * Calls the receiver of a webhook once with a POST of `{}`, the webhook's headers and `PING_HEADER`, signed if
   * deliveries are. Nothing is added to the delivery log, and no fault applies.
   */
  async ping(run: Run, { url, extraHeaders }: Webhook): Promise<Ping> {
    const { targets, http, userAgent } = this.#shared;
    const { values } = run.behaviour;
    const resolution = targets.resolve(url, run.sandboxId, run.epoch);
    if ("unusable" in resolution) return failedPing([], "name", resolution.unusable);
    if ("blocked" in resolution) return failedPing([], "guard", resolution.blocked);
    let { target } = resolution;
    const sent = { id: "ping", body: BODY, extraHeaders, headers: { [PING_HEADER]: "1" } };
    const outcome = await sendFollowing(
      requestTo(target, sent, values, userAgent),
      { run, targets },
      values,
      (each) => {
        target = each.target;
        return http.send(each);
      },
    );
    const { origin, hostname, secure, isOwn } = target;
    const { stage, error, status, responseBody, durationMs } = outcome;
    const answer = `${url} answers ${status} after ${Math.round(durationMs)} ms`;
    const passed: Ping["steps"] = [
      { step: "guard", ok: true, message: `calls to ${hostname} are allowed` },
      { step: "name", ok: true, message: `${hostname} was found` },
      { step: "connection", ok: true, message: `${origin} accepts connections` },
      ...(secure ? [{ step: "tls", ok: true, message: "the certificate is accepted" } as const] : []),
    ];
    if (stage === "guard" || stage === "name") return failedPing(passed, stage, `${error}`);
    if (stage === "answer") return failedPing(passed, "status", `${url}: ${error}`);
    if (stage !== null) return failedPing(passed, stage, `${origin}: ${error}`);
    if (isSuccess(outcome, values["delivery.success"]))
      return { ok: true, message: answer, steps: [...passed, { step: "status", ok: true, message: answer }] };
    const why = isOwn ? `: ${responseBody}` : "";
    const message = `${answer}, which does not count as success (delivery.success)${why}`;
    return failedPing(passed, "status", message);
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

type PingStepName = Exclude<FailureStage, "answer"> | "status";

/** The report of a ping, step by step; the last step is the one that failed, if any. */
interface Ping {
  readonly ok: boolean;
  readonly message: string;
  readonly steps: readonly { readonly step: PingStepName; readonly ok: boolean; readonly message: string }[];
}

/** The body of a ping: not an event, so that no receiver mistakes it for one. `PING_HEADER` marks it. */
const BODY = Buffer.from("{}");

/** The report of a ping that failed at a step: those before it have passed. */
function failedPing(passed: Ping["steps"], failed: PingStepName, message: string): Ping {
  const at = passed.findIndex(({ step }) => step === failed);
  const before = at < 0 ? passed : passed.slice(0, at);
  return { ok: false, message, steps: [...before, { step: failed, ok: false, message }] };
}

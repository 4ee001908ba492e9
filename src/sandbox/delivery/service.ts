import type { LookupFunction } from "node:net";
import pLimit from "p-limit";
import { BOUNDS } from "../../kernel/bounds.js";
import { type Logger, SILENT } from "../../kernel/errors.js";
import { PING_HEADER } from "../../kernel/http/target.js";
import type { Webhook } from "../../service/world/records.js";
import type { Delivery, Outbox } from "../deliveries.js";
import type { Cause } from "../journal.js";
import type { Run } from "../run.js";
import { type DeliveryContext, isSuccess, requestTo, sendFollowing } from "./attempt.js";
import { HttpClient } from "./http.js";
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
   * Sends the body of a delivery again, as a new delivery to its webhook as it is now, even if that is disabled.
   * @throws Refusal if this cannot be saved
   */
  replay(run: Run, webhook: Webhook, delivery: Delivery, cause: Cause): Delivery {
    run.saver.check();
    return run.deliveries.deliver(cause, { ...webhook, byHand: true }, delivery);
  }

  /**
   * Calls the receiver of a webhook once with a POST of `{}`, the webhook's headers and `PING_HEADER`, signed if
   * deliveries are. Nothing is added to the delivery log, and no fault applies.
   */
  async ping(run: Run, { url, extraHeaders }: Webhook): Promise<{ ok: boolean; message: string }> {
    const { targets, http, userAgent } = this.#shared;
    const { values } = run.behaviour;
    const resolution = targets.resolve(url, run.sandboxId, run.epoch);
    if ("blocked" in resolution) return { ok: false, message: resolution.blocked };
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
    const { error, isBlocked, status, responseBody, durationMs } = outcome;
    if (error !== null) return { ok: false, message: isBlocked ? error : `${target.origin}: ${error}` };
    const answer = `${url} answers ${status} after ${Math.round(durationMs)} ms`;
    if (isSuccess(outcome, values["delivery.success"])) return { ok: true, message: answer };
    const why = target.isOwn ? `: ${responseBody}` : "";
    return {
      ok: false,
      message: `${answer}, which does not count as success (delivery.success)${why}`,
    };
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

/** The body of a ping: not an event, so that no receiver mistakes it for one. `PING_HEADER` marks it. */
const BODY = Buffer.from("{}");

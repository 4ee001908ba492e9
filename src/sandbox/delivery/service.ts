import type { LookupFunction } from "node:net";
import pLimit from "p-limit";
import { BOUNDS } from "../../kernel/bounds.js";
import type { Logger } from "../../kernel/errors.js";
import { SILENT } from "../../kernel/errors.js";
import type { Webhook } from "../../service/world/records.js";
import type { Delivery, Outbox } from "../deliveries.js";
import type { Cause } from "../journal.js";
import type { Run } from "../run.js";
import type { DeliveryContext } from "./attempt.js";
import { OutboundGuard } from "./guard.js";
import { isSignatureHeader } from "./headers.js";
import { HttpClient } from "./http.js";
import type { Ping } from "./ping.js";
import { ping } from "./ping.js";
import { DeliveryOutbox } from "./queue.js";
import type { HostRewrite } from "./target.js";
import { Targets } from "./target.js";

export interface DeliveryOptions {
  /** Returns the simulator's own base address: where sinks are, and whose certificate is trusted. */
  readonly ownUrl: () => string;
  /** Hosts beyond this machine and its networks that may be called; `*` allows all. */
  readonly allowOutbound: readonly string[];
  readonly rewriteHosts: readonly HostRewrite[];
  readonly ca?: string | undefined;
  readonly insecureTls?: boolean;
  readonly userAgent: string;
  /** Resolves the names of receivers; left out: as the system does. */
  readonly lookup?: LookupFunction;
  /** Gets failed attempts, blocked and dropped deliveries at level info. */
  readonly logger?: Logger;
}

/** Sends the deliveries of all sandboxes of one simulator: an outbox for each run, one HTTP client behind them all. */
export class DeliveryService {
  readonly #shared: Omit<DeliveryContext, "run" | "limit">;

  constructor(options: DeliveryOptions) {
    const { ownUrl, allowOutbound, rewriteHosts, ca, insecureTls, userAgent, logger = SILENT } = options;
    const guard = new OutboundGuard(allowOutbound, options.lookup);
    const targets = new Targets(ownUrl, guard, rewriteHosts);
    const { lookup } = guard;
    const http = new HttpClient({ ca, insecureTls, isOwn: (origin) => targets.isOwn(origin), lookup });
    this.#shared = { http, targets, lookup, userAgent, logger };
  }

  createOutbox(run: Run): Outbox {
    return new DeliveryOutbox({ ...this.#shared, run, limit: pLimit(BOUNDS.deliveryCalls.limit) });
  }

  /**
   * Sends the body of a delivery again, as a delivery of its own: to where its webhook points now, with the headers of
   * now, signed anew. Where the webhook is gone, that delivery's address and headers are used, but for those that signed
   * it. A disabled webhook gets it too: whoever asks for a replay wants it sent.
   */
  replay(run: Run, delivery: Delivery, cause: Cause): Delivery {
    const { webhookId, hookId, url, headers } = delivery;
    const extraHeaders = Object.entries(headers)
      .filter(([name]) => !isSignatureHeader(name))
      .map(([name, value]) => ({ name, value }));
    const webhook = run.world.get("webhooks", webhookId) ?? { id: webhookId, hookId, url, extraHeaders };
    return run.deliveries.deliver(cause, { ...webhook, byHand: true }, delivery);
  }

  /** Tries the receiver of a webhook once and says in words what stands in the way. */
  ping(run: Run, webhook: Webhook): Promise<Ping> {
    return ping(webhook, { ...this.#shared, run });
  }

  /** Why the outbound guard blocks deliveries to an address, and which option would let them through; null where it does not. */
  objection({ sandboxId }: Run, url: string): string | null {
    const resolution = this.#shared.targets.resolve(url, sandboxId);
    return "blocked" in resolution ? resolution.blocked : null;
  }

  /** Closes all connections. Attempts under way end with their runs, which are to be closed before. */
  close(): Promise<void> {
    return this.#shared.http.close();
  }
}

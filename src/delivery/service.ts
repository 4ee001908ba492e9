/** The delivery engine of one simulator: an outbox for each sandbox, one sender behind them all. */
import type { Logger } from "../kernel/logger.js";
import { SILENT } from "../kernel/logger.js";
import type { Delivery } from "../sandbox/deliveries.js";
import type { Run } from "../sandbox/run.js";
import type { Webhook } from "../world/records.js";
import type { Dependencies } from "./dispatcher.js";
import { OutboundGuard } from "./guard.js";
import { DeliveryOutbox } from "./outbox.js";
import type { Ping } from "./ping.js";
import { ping } from "./ping.js";
import { Sender } from "./sender.js";
import type { HostRewrite } from "./target.js";
import { Targets } from "./target.js";

export interface DeliveryOptions {
  /** The simulator's own base address: where sinks are, and whose certificate is trusted. Asked for at each use. */
  readonly ownUrl: () => string;
  /** Hosts beyond this machine and its networks that may be called; `*` for all. */
  readonly allowOutbound: readonly string[];
  readonly rewriteHosts: readonly HostRewrite[];
  /** A certificate authority in PEM that receivers may have theirs from, beside the known ones. */
  readonly ca?: string | undefined;
  /** Take any certificate. */
  readonly insecureTls?: boolean;
  readonly userAgent: string;
  /** Failed attempts, blocked and dropped deliveries are told at level info. */
  readonly logger?: Logger;
}

/**
 * Sends the deliveries of all sandboxes.
 *
 * @example
 * const delivery = new DeliveryService({ ownUrl: () => url, allowOutbound: [], rewriteHosts: [], userAgent: "messaging-sim/1" });
 * const sandbox = new Sandbox(options, (sandbox) => delivery.outboxFor(run));
 */
export class DeliveryService {
  readonly #post: Dependencies;
  readonly #outboxes = new WeakMap<Run, DeliveryOutbox>();

  constructor(options: DeliveryOptions) {
    const { ownUrl, allowOutbound, rewriteHosts, ca, insecureTls, userAgent, logger = SILENT } = options;
    const targets = new Targets(ownUrl, new OutboundGuard(allowOutbound), rewriteHosts);
    const sender = new Sender({ ca, insecureTls, isOwn: (origin) => targets.isOwn(origin) });
    this.#post = { sender, targets, userAgent, logger };
  }

  /** The outbox of a run, the same one each time. */
  outboxFor(run: Run): DeliveryOutbox {
    let outbox = this.#outboxes.get(run);
    if (outbox === undefined) {
      outbox = new DeliveryOutbox(run, this.#post);
      this.#outboxes.set(run, outbox);
    }
    return outbox;
  }

  /**
   * Sends the body of a delivery again, as a delivery of its own: to where its webhook points now, with the headers of
   * now, signed anew. Of a webhook that is gone, the address and headers of that delivery are used.
   */
  replay(run: Run, delivery: Delivery, causedBy: string): Delivery {
    const webhook = run.world.get("webhooks", delivery.webhookId) ?? webhookOf(delivery);
    const again: Delivery = {
      ...delivery,
      id: run.deliveries.nextId(),
      causedBy,
      url: webhook.url,
      headers: {},
      status: "pending",
      reason: null,
      attempts: [],
      nextAttemptAt: null,
    };
    run.deliveries.add(again);
    this.outboxFor(run).accept(again, { webhook });
    return again;
  }

  /** Tries the receiver of a webhook once and says in words what stands in the way. */
  ping(run: Run, webhook: Webhook): Promise<Ping> {
    return ping(run, webhook, this.outboxFor(run).dispatcher, this.#post.sender);
  }

  /** Abandons what is under way and closes all connections. */
  close(): Promise<void> {
    return this.#post.sender.close();
  }
}

/** As much of a webhook as a delivery tells. */
const webhookOf = ({ webhookId, hookId, url, legacy, headers }: Delivery): Webhook => ({
  id: webhookId,
  hookId,
  organizationId: "",
  url,
  enabled: true,
  subscribedEvents: [],
  extraHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
  legacy,
});

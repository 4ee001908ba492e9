import { durationText, milliseconds } from "../kernel/duration.js";
import type { Logger } from "../kernel/logger.js";
import type { FaultAction } from "../sandbox/faults.js";
import type { Run } from "../sandbox/run.js";
import type { Webhook } from "../world/records.js";
import type { Abort, Result } from "./attempt.js";
import { attempt } from "./attempt.js";
import type { OutboundRequest } from "./call.js";
import type { Headers } from "./headers.js";
import { mergeHeaders, signedHeaders, standardHeaders } from "./headers.js";
import type { QueuedDelivery } from "./queued-delivery.js";
import type { Sender } from "./sender.js";
import { signatureHeaders } from "./signature.js";
import type { Resolution, Target, Targets } from "./target.js";

/** What all sandboxes of a simulator send with. */
export interface Dependencies {
  readonly sender: Sender;
  readonly targets: Targets;
  readonly userAgent: string;
  readonly logger: Logger;
}

/** How many addresses are kept resolved; at the bound all are forgotten and found out again. */
const MAX_RESOLUTIONS = 1_000;

/** Makes the attempts of one sandbox's deliveries and writes down what becomes of them. */
export class Dispatcher {
  readonly #run: Run;
  readonly #post: Dependencies;
  readonly #resolutions = new Map<string, Resolution>();
  /** Webhook records do not change, so neither do the headers that they lead to. */
  readonly #headers = new WeakMap<Webhook, Headers>();

  constructor(run: Run, post: Dependencies) {
    this.#run = run;
    this.#post = post;
  }

  /** Whether the outbound guard holds a delivery back; that is the end of it. */
  isBlocked({ delivery }: QueuedDelivery): boolean {
    const resolution = this.resolve(delivery.url);
    if (!("blocked" in resolution)) return false;
    delivery.status = "blocked";
    delivery.reason = resolution.blocked;
    delivery.nextAttemptAt = null;
    this.#log(delivery, `is blocked: ${resolution.blocked}`);
    this.#run.deliveries.changed(delivery);
    return true;
  }

  /** Makes one attempt; `done` is told the world's time of the next one, ms, or null when there is none. */
  carry(
    parcel: QueuedDelivery,
    fault: FaultAction | undefined,
    done: (retryAt: number | null) => void,
  ): Abort {
    const { clock, behaviour } = this.#run;
    const resolution = this.resolve(parcel.delivery.url);
    parcel.attempts += 1;
    parcel.delivery.nextAttemptAt = null;
    if (!("target" in resolution)) {
      const error = "unusable" in resolution ? resolution.unusable : resolution.blocked;
      const made = { at: clock.now(), status: null, durationMs: 0, error, responseBody: null };
      done(this.#record(parcel, { attempts: [made], delivered: false, dropped: null }));
      return () => {};
    }
    const trial = {
      fault,
      success: behaviour.values["delivery.success"],
      now: () => clock.now(),
      letter: () => this.#letter(parcel, resolution.target, fault),
    };
    return attempt(trial, this.#post.sender, (result) => done(this.#record(parcel, result)));
  }

  resolve(url: string): Resolution {
    const known = this.#resolutions.get(url);
    if (known !== undefined) return known;
    const resolution = this.#post.targets.resolve(url, this.#run.sandboxId, this.#run.epoch);
    if (this.#resolutions.size >= MAX_RESOLUTIONS) this.#resolutions.clear();
    // The simulator's own address becomes known only when it listens.
    if (!("unusable" in resolution)) this.#resolutions.set(url, resolution);
    return resolution;
  }

  /** The headers that a webhook's deliveries carry where they are not signed. */
  headersOf(webhook: Webhook): Headers {
    let headers = this.#headers.get(webhook);
    if (headers === undefined) {
      headers = standardHeaders(this.#post.userAgent, webhook.extraHeaders);
      this.#headers.set(webhook, headers);
    }
    return headers;
  }

  #letter(parcel: QueuedDelivery, target: Target, fault: FaultAction | undefined): OutboundRequest {
    const { world, behaviour, deliveries } = this.#run;
    const { delivery } = parcel;
    const signature = behaviour.values["delivery.signature"];
    const body = fault?.malformed ? parcel.body.subarray(0, -1) : parcel.body;
    parcel.headers ??= this.headersOf(world.get("webhooks", delivery.webhookId) ?? parcel.webhook);
    let headers = parcel.headers;
    if (fault?.headers) headers = mergeHeaders(headers, fault.headers);
    if (signature !== null)
      headers = signedHeaders(headers, signatureHeaders(signature, delivery.id, body, fault?.signature));
    delivery.headers = headers;
    deliveries.changed(delivery);
    return { target, headers, body, timeoutMs: behaviour.values["delivery.timeoutMs"] };
  }

  #record(parcel: QueuedDelivery, { attempts, delivered, dropped }: Result): number | null {
    const { delivery } = parcel;
    delivery.attempts = delivery.attempts.length === 0 ? attempts : [...delivery.attempts, ...attempts];
    if (delivered) delivery.status = "delivered";
    else if (dropped !== null) {
      delivery.status = "dropped";
      delivery.reason = dropped;
      this.#log(delivery, `is dropped: ${dropped}`);
    } else {
      delivery.nextAttemptAt = this.#retryAt(parcel);
      if (delivery.nextAttemptAt === null) delivery.status = "failed";
      this.#logFailure(parcel);
    }
    const { nextAttemptAt } = delivery;
    this.#run.deliveries.changed(delivery);
    return nextAttemptAt;
  }

  /** When the next attempt is due; null when there is to be none. A legacy webhook gets one (specification: "Legacy delivery payload"). */
  #retryAt({ delivery, attempts }: QueuedDelivery): number | null {
    const { clock, behaviour } = this.#run;
    const { "delivery.attempts": most, "delivery.backoff": backoff } = behaviour.values;
    if (attempts >= (delivery.legacy ? 1 : most)) return null;
    return clock.now() + milliseconds(backoff[Math.min(attempts, backoff.length) - 1] ?? 0);
  }

  #logFailure({ delivery, attempts }: QueuedDelivery): void {
    const last = delivery.attempts.at(-1);
    const why = last?.error ?? `answered ${last?.status}`;
    const { nextAttemptAt } = delivery;
    const next =
      nextAttemptAt === null
        ? "the last"
        : `the next comes in ${durationText(nextAttemptAt - this.#run.clock.now())}`;
    this.#log(delivery, `failed: ${why} (attempt ${attempts}, ${next})`);
  }

  #log({ id, hookId, url }: QueuedDelivery["delivery"], words: string): void {
    this.#post.logger.info(
      { sandbox: this.#run.sandboxId, delivery: id, hookId, url },
      `delivery ${id} to ${url} ${words}`,
    );
  }
}

import { signal } from "@preact/signals";
import type { Transport } from "../../../src/client/transport.js";
import type { StrayCall } from "../../../src/client/unanswered.js";
import { requestRank } from "../story/control-note";
import { asksBot, deliveryTime, threadOfRequest } from "./entries";
import type { LiveLog } from "./live-log";
import type { DeliveryRecord, RequestRecord, SandboxInfo } from "./types";

/** So many other sandboxes are looked through, `default` and the newest, and so many of the newest calls of each. */
const MAX_SANDBOXES = 8;
const MAX_CALLS = 20;
/** Not more often than this, ms. */
const PAUSE_MS = 2_000;
/** The page hears of a delivery so much later than it happened, ms. */
const DELAY_MS = 500;

/** Finds the call of a bot that answers in another sandbox than the one that asked it: its token decides. */
export class StrayCalls {
  readonly found = signal<StrayCall | undefined>(undefined);
  /** The newest call of each sandbox whose clock stands, when it was last looked at: its times tell nothing. */
  readonly #known = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly session: {
      readonly sandbox: string;
      readonly server: Transport;
      readonly deliveries: LiveLog<DeliveryRecord>;
    },
  ) {}

  /** Looks for a call that may answer a delivery; `undefined`: remembers what there is. */
  async look(delivery?: DeliveryRecord): Promise<void> {
    const now = performance.now();
    if (delivery !== undefined && now - this.#lookedAt < PAUSE_MS) return;
    this.#lookedAt = now;
    const all = await this.session.server.call<SandboxInfo[]>("GET", "/sandboxes");
    const others = all.filter(({ id }) => id !== this.session.sandbox);
    const looked = [...others.splice(0, 1), ...others.slice(1 - MAX_SANDBOXES)];
    const found = await Promise.all(looked.map((one) => this.#in(one, delivery).catch(() => undefined)));
    const stray = found.find((one) => one !== undefined);
    if (delivery !== undefined) this.found.value = stray;
  }

  /** The newest call in a sandbox that came after a delivery of this one, and that nothing in its own sandbox explains. */
  async #in(
    { id: sandbox, now, frozen }: SandboxInfo,
    delivery: DeliveryRecord | undefined,
  ): Promise<StrayCall | undefined> {
    if (delivery === undefined && !frozen) return undefined;
    const transport = this.session.server.ofSandbox(sandbox);
    const query = { by: "client", limit: MAX_CALLS };
    const calls = await transport.call<RequestRecord[]>("GET", "/requests", { query });
    const known = this.#known.get(sandbox) ?? 0;
    this.#known.set(sandbox, Math.max(0, ...calls.map(({ id }) => requestRank(id))));
    if (delivery === undefined) return undefined;
    const { threadId, id: after } = delivery;
    const since = performance.now() - (this.session.deliveries.arrivalOf(after) ?? 0) + DELAY_MS;
    if (!Number.isFinite(since)) return undefined;
    const call = calls.findLast((one) => {
      const thread = threadOfRequest(one);
      const isNew = frozen ? requestRank(one.id) > known : now - one.at <= since;
      return isNew && (thread === threadId || (thread === null && (one.status ?? 0) >= 400));
    });
    if (call === undefined || call.status === 401) return call && { sandbox, call, after };
    const own = { query: { threadId, limit: MAX_CALLS } };
    const asked = (await transport.call<DeliveryRecord[]>("GET", "/deliveries", own)).findLast(asksBot);
    const isAsked = asked !== undefined && (frozen || now - deliveryTime(asked) <= since);
    return isAsked ? undefined : { sandbox, call, after };
  }
}

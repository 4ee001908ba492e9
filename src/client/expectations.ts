import { ConversationClient } from "./conversations.js";
import type { Reply, ReplyMatch } from "./replies.js";
import { replyOf, replyRequests } from "./replies.js";
import type { Transport } from "./transport.js";
import type { DeliveryFound, DeliveryMatch, EventType, RequestMatch, RequestRecord } from "./types.js";
import type { CountRange, Looked, WaitOptions } from "./waiting.js";
import { Waiting } from "./waiting.js";

/** An event type, or all that a delivery is to look like. */
export type DeliveryAsked = EventType | DeliveryMatch;
type TypeOf<Asked> = Asked extends EventType
  ? Asked
  : Asked extends { readonly eventType: infer Type }
    ? Type
    : unknown;
/** The delivery that is found for what was asked. */
export type Found<Asked> = DeliveryFound<TypeOf<Asked>>;

type Timeout = Pick<WaitOptions, "timeoutMs">;

/** What a test waits for and verifies in one sandbox. Time is real time; the server does the waiting. */
export class ExpectationClient extends ConversationClient {
  readonly #waiting: Waiting;

  /** `timeoutMs`: how long a wait takes unless it says so itself. */
  constructor(wire: Transport, timeoutMs: number) {
    super(wire);
    this.#waiting = new Waiting(wire, timeoutMs);
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.#waiting.restart();
  }

  /**
   * Waits for the system under test's next message in the thread that the customer can see, and that is as asked.
   * Each message is returned once; those that came before the call count.
   *
   * @throws ExpectationError with the messages that came nearest
   * @example
   * await sandbox.customerSays("9001", "Hello");
   * await sandbox.waitForReply("9001", { matches: "hello|good morning" });
   * await sandbox.waitForReply("9001", { template: "issue_back", within: 1000 });
   */
  async waitForReply(
    threadId: string | number,
    match: string | ReplyMatch = {},
    options: WaitOptions = {},
  ): Promise<Reply> {
    const asked = typeof match === "string" ? { text: match } : match;
    const templates = asked.template === undefined ? [] : await this.data("templates").list();
    const request = await this.#waiting.next<RequestRecord>(
      { requests: replyRequests(threadId, asked, templates) },
      `a visible message in thread ${threadId}`,
      { ...(asked.within === undefined ? {} : { timeoutMs: asked.within }), ...options, ledger: "replies" },
      ({ by }) => by === "client",
    );
    return replyOf(request);
  }

  /** Waits for so long and fails as soon as a visible message is sent into the thread. */
  silent(threadId: string | number, forMs: number): Promise<void> {
    const requests = replyRequests(threadId, {}, []);
    return this.#waiting.none({ requests }, forMs, `no visible message in thread ${threadId}`);
  }

  /**
   * Waits for the next call to the simulated API that matches. Each call is returned once; those that came before count.
   *
   * @example
   * const call = await sandbox.waitForRequest({ operation: "updateThreadStatus", body: { status: "resolved" } });
   */
  waitForRequest(match: RequestMatch = {}, options: WaitOptions = {}): Promise<RequestRecord> {
    return this.#waiting.next({ requests: match }, "a request", { ...options, ledger: "requests" });
  }

  /** Waits until `count` calls match in all, and returns all that do. */
  waitForRequests(match: RequestMatch, count: number, options: Timeout = {}): Promise<RequestRecord[]> {
    return this.#waiting.atLeast({ requests: match }, count, options);
  }

  /**
   * Waits for the next delivery that matches. One that says nothing of its status has to be over: delivered, failed,
   * dropped or blocked. Each delivery is returned once; those that came before count.
   *
   * @example
   * const { body } = await sandbox.waitForDelivery("transfer");
   * body.data.newBusinessName;
   */
  waitForDelivery<const Asked extends DeliveryAsked>(
    match: Asked,
    options: WaitOptions = {},
  ): Promise<Found<Asked>> {
    const what = { deliveries: deliveryMatch(match) };
    return this.#waiting.next<Found<Asked>>(what, "a delivery", { ...options, ledger: "deliveries" });
  }

  /** Waits until `count` deliveries match in all, and returns all that do. */
  waitForDeliveries<const Asked extends DeliveryAsked>(
    match: Asked,
    count: number,
    options: Timeout = {},
  ): Promise<Found<Asked>[]> {
    return this.#waiting.atLeast<Found<Asked>>({ deliveries: deliveryMatch(match) }, count, options);
  }

  /** Waits for so long and fails as soon as a further call or delivery matches. */
  expectNone(what: Looked, forMs: number): Promise<void> {
    return this.#waiting.none(what, forMs, `no further ${"requests" in what ? "request" : "delivery"}`);
  }

  /** Waits until no call is on its way and no delivery that is due. */
  idle({ timeoutMs }: Timeout = {}): Promise<void> {
    return this.#waiting.idle(timeoutMs);
  }

  /**
   * Says how many calls or deliveries match, as things stand; without `count` there must be at least one.
   *
   * @throws ExpectationError when it is another number than there should be
   * @example
   * await sandbox.verify({ requests: { operation: "sendMessageToCustomerThread" }, count: 1 });
   * await sandbox.verify({ deliveries: { status: "failed" }, count: { max: 2 } });
   */
  async verify({
    count,
    ...what
  }: Looked & { readonly count?: number | CountRange }): Promise<{ ok: true; count: number }> {
    return { ok: true, count: await this.#waiting.verify(what, count) };
  }

  /** For what makes the logs begin anew in another way than `reset`. */
  protected restartWaiting(): void {
    this.#waiting.restart();
  }
}

function deliveryMatch(asked: DeliveryAsked): DeliveryMatch {
  const match = typeof asked === "string" ? { eventType: asked } : asked;
  return { status: { $not: "pending" }, ...match } as DeliveryMatch;
}

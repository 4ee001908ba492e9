/** Brings calls and deliveries to the customer that they are about. */
import type { LogName, Logs } from "../client/consumed-entries.js";
import { visibleMessages } from "../client/replies.js";
import type { DeliveryRecord, RequestRecord } from "../client/types.js";
import type { Feed } from "./feed.js";
import { Mailbox } from "./mailbox.js";
import type { OwnThread } from "./threads.js";

export class Post {
  readonly #byThread = new Map<string, Mailbox>();
  readonly #byCustomer = new Map<string, Mailbox>();
  readonly #matches: Feed["matches"];
  readonly #onUnasked: (count: number) => void;

  /** `onUnasked`: so many visible messages came that no step asked for. */
  constructor(matches: Feed["matches"], onUnasked: (count: number) => void) {
    this.#matches = matches;
    this.#onUnasked = onUnasked;
  }

  open({ id, customerId }: OwnThread): Mailbox {
    const mailbox = new Mailbox(this.#matches);
    this.#byThread.set(id, mailbox);
    this.#byCustomer.set(customerId, mailbox);
    return mailbox;
  }

  close({ id, customerId }: OwnThread): void {
    const left = this.#byThread.get(id)?.left(visibleMessages(id)) ?? 0;
    if (left > 0) this.#onUnasked(left);
    this.#byThread.delete(id);
    this.#byCustomer.delete(customerId);
  }

  hear<L extends LogName>(log: L, entry: Logs[L]): void {
    const mailbox = log === "deliveries" ? this.#ofDelivery(entry as Delivery) : this.#ofCall(entry as Call);
    if (mailbox !== undefined) mailbox.hear(log, entry);
    else if (log === "requests" && this.#isVisible(entry as Call)) this.#onUnasked(1);
  }

  /** Ends what is waited for; what is to be taken too only where that is said. */
  closeAll(options: { readonly alsoTaking?: boolean } = {}): void {
    for (const mailbox of this.#byThread.values()) mailbox.close(options);
  }

  #ofDelivery({ threadId }: Delivery): Mailbox | undefined {
    return this.#byThread.get(threadId);
  }

  #ofCall({ body, query, path }: Call): Mailbox | undefined {
    const inBody = (body as { readonly customerThreadId?: unknown } | null)?.customerThreadId;
    const thread = inBody ?? query.customerThreadId;
    if (thread !== undefined) return this.#byThread.get(String(thread));
    const [, customer] = /\/customers\/([^/]+)/.exec(path) ?? [];
    return customer === undefined ? undefined : this.#byCustomer.get(decodeURIComponent(customer));
  }

  /** Whether a call put a message into a thread that customers see. */
  #isVisible(entry: Call): boolean {
    const thread = (entry.body as { readonly customerThreadId?: string | number } | null)?.customerThreadId;
    return thread !== undefined && this.#matches("requests", visibleMessages(thread), entry);
  }
}

type Delivery = DeliveryRecord;
type Call = RequestRecord;

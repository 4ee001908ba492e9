import type { Session } from "./session";
import type { Customer, Thread } from "./types";

/** The channels of a new conversation. */
export const CHANNELS = ["WHATSAPP", "SMS", "EMAIL"];

/** What is asked of a customer who is not known yet; empty for nothing. */
export interface NewCustomer {
  readonly displayName: string;
  readonly phoneNumber?: string;
  readonly emailAddress?: string;
}

/** The id of one who is known, or somebody new. */
export type ChosenCustomer = string | NewCustomer;

export interface NewConversation {
  readonly businessId: string;
  readonly channel: string;
  readonly customer: ChosenCustomer;
  /** What the customer writes first. */
  readonly text: string;
}

/**
 * Makes customer and thread, has the customer write, and resolves with the thread's id. What is refused leaves nothing
 * behind.
 */
export async function startConversation(
  session: Session,
  { businessId, channel, customer, text }: NewConversation,
): Promise<string> {
  const { transport, tables } = session;
  if (text.trim() === "") throw new Error("Enter the customer's first message.");
  const isNew = typeof customer === "object";
  if (isNew && Object.values(customer).every((value) => value.trim() === ""))
    throw new Error("Enter a name, a phone number or an e-mail address.");
  const made: string[] = [];
  const add = async <T extends { readonly id: string }>(collection: string, body: object): Promise<T> => {
    const record = await transport.call<T>("POST", `/data/${collection}`, { body });
    made.unshift(`/data/${collection}/${encodeURIComponent(record.id)}`);
    return record;
  };
  try {
    const organizationId = tables.businesses.get(businessId)?.organizationId;
    const fields = Object.entries(customer).map(([field, value]) => [field, value.trim() || null]);
    const customerId = isNew
      ? (await add<Customer>("customers", { organizationId, channel, ...Object.fromEntries(fields) })).id
      : customer;
    const thread = { businessId, customerId, channel, status: "waiting", isMessagingWindowOpen: true };
    const { id } = await add<Thread>("threads", thread);
    await transport.call("POST", `/threads/${id}/inbound`, { body: { text } });
    return id;
  } catch (error) {
    for (const path of made) await transport.call("DELETE", path).catch(() => {});
    throw error;
  }
}

/** Conversations started on the customer's side (specification: "Start a conversation from the widget route"). */
import { omitUndefined } from "../../kernel/objects.js";
import { hasWindow } from "../../kernel/windows.js";
import { complete } from "../world/defaults.js";
import { keyOf } from "../world/indexes.js";
import type { Business, Customer, Message, Thread } from "../world/records.js";
import type { Caller } from "./access.js";
import { PROSPECT } from "./events.js";
import { checkText, fromCustomer } from "./messages.js";
import { Refusal } from "./refusals.js";
import type { Rule, Transaction } from "./transaction.js";
import { opened } from "./windows.js";

/** Exactly one of the three contacts. */
interface WidgetUser {
  readonly email?: string | undefined;
  readonly sms?: string | undefined;
  readonly whatsapp?: string | undefined;
  readonly locale?: string | undefined;
}

/** The contact fields, the channel that each starts, and the index that finds a customer by it. */
export const CONTACTS = {
  email: { channel: "EMAIL", field: "emailAddress", index: "customersByEmail" },
  sms: { channel: "SMS", field: "phoneNumber", index: "customersByPhone" },
  whatsapp: { channel: "WHATSAPP", field: "phoneNumber", index: "customersByPhone" },
} as const;
type ContactField = keyof typeof CONTACTS;

/** Writes the customer's first message into a new thread, or into an open one if `widget.reuse` says so. */
export const startConversation: Rule<
  { caller: Caller; businessId: string; message: string; user: WidgetUser },
  { thread: Thread; customer: Customer; message: Message }
> = (tx, { caller, businessId, message: text, user }) => {
  const business = tx.get("businesses", businessId);
  if (business?.organizationId !== caller.organizationId) throw new Refusal("widget.foreignBusiness");
  if (user.whatsapp !== undefined) checkWhatsapp(business);
  checkText(tx, text, "@.message");
  const field = (Object.keys(CONTACTS) as ContactField[]).find(
    (key) => user[key] !== undefined,
  ) as ContactField;
  const customer = customerWith(tx, caller.organizationId, field, user);
  const key = { businessId: business.id, customerId: customer.id, channel: CONTACTS[field].channel };
  const open = tx.behaviour["widget.reuse"] === "open" ? openThread(tx, key) : undefined;
  const thread = tx.put("threads", begunBy(caller, open ?? newThread(tx, key)));
  const message = fromCustomer(tx, thread, text, null);
  return { thread, customer, message };
};

type ThreadKey = Pick<Thread, "businessId" | "customerId" | "channel">;

function newThread(tx: Transaction, key: ThreadKey): Thread {
  const thread = {
    id: tx.nextId("threads"),
    ...key,
    status: "waiting",
    isMessagingWindowOpen: true,
  } as const;
  return hasWindow(tx, thread) ? opened(tx, thread) : thread;
}

/** The newest thread under a key that is not resolved. */
const openThread = (tx: Transaction, { businessId, customerId, channel }: ThreadKey): Thread | undefined =>
  [...tx.find("threadsByCustomer", customerId)]
    .filter((thread) => thread.businessId === businessId && thread.channel === channel)
    .filter(({ status }) => status !== "resolved")
    .sort((a, b) => Number(b.id) - Number(a.id))[0];

/** The thread, marked as accessible to the caller's user regardless of its business (`widget.threadAccess`). */
function begunBy({ user }: Caller, thread: Thread): Thread {
  const { widgetUserIds = [] } = thread;
  return widgetUserIds.includes(user.id) ? thread : { ...thread, widgetUserIds: [...widgetUserIds, user.id] };
}

function checkWhatsapp(business: Business): void {
  if (business.whatsappSender?.active !== true)
    throw new Refusal("widget.noSender", { businessId: business.id });
  if (!business.online) throw new Refusal("widget.businessOffline", { businessId: business.id });
}

function customerWith(
  tx: Transaction,
  organizationId: string,
  field: ContactField,
  user: WidgetUser,
): Customer {
  const contact = user[field] as string;
  const { channel, field: profileField, index } = CONTACTS[field];
  const { "widget.customerMatch": match } = tx.behaviour;
  const found =
    match === "never"
      ? undefined
      : [...tx.find(index, keyOf(organizationId, contact.toLowerCase()))].find(
          (customer) => match === "caseless" || customer[profileField] === contact,
        );
  if (found !== undefined) return found;
  const customer = complete("customers", {
    id: tx.drawId("customers", "cust_"),
    organizationId,
    type: PROSPECT,
    editable: true,
    channel,
    ...omitUndefined({ locale: user.locale }),
    [profileField]: contact,
  });
  return tx.put("customers", customer);
}

/** WhatsApp templates (specification: "List WhatsApp templates"). */
import type { Template, Thread } from "../world/records.js";
import { organizationOf } from "./access.js";
import { Refusal } from "./refusal.js";
import type { Transaction } from "./transaction.js";

const TEMPLATE_CHANNEL = "WHATSAPP";

/** The templates approved for a thread: those of its organization on WhatsApp, none elsewhere. */
export function templatesFor(tx: Transaction, thread: Thread): Template[] {
  if (thread.channel !== TEMPLATE_CHANNEL) return [];
  return [...tx.world.find("templatesByOrganization", organizationOf(tx, thread))];
}

/** The template of a thread with this `contentSid`. */
export function templateOf(tx: Transaction, thread: Thread, contentSid: string): Template {
  const template = tx.get("templates", contentSid);
  const usable =
    thread.channel === TEMPLATE_CHANNEL && template?.organizationId === organizationOf(tx, thread);
  if (template === undefined || !usable)
    throw new Refusal("templates.unknown", { contentSid, customerThreadId: thread.id });
  return template;
}

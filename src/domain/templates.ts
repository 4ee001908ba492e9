/** WhatsApp templates (specification: "List WhatsApp templates"). */
import type { Template, Thread } from "../world/records.js";
import { organizationOf } from "./access.js";
import { Refusal } from "./refusal.js";
import type { WorldView } from "./transaction.js";

/** Whether threads of a thread's channel have templates (`templates.channels`). */
const hasTemplates = ({ behaviour }: WorldView, { channel }: Thread): boolean =>
  behaviour["templates.channels"].includes(channel);

/** The templates approved for a thread: those of its organization. */
export function templatesFor(view: WorldView, thread: Thread): Template[] {
  if (!hasTemplates(view, thread)) return [];
  return [...view.find("templatesByOrganization", organizationOf(view, thread))];
}

/** The template of a thread with this `contentSid`. */
export function templateOf(view: WorldView, thread: Thread, contentSid: string): Template {
  const template = hasTemplates(view, thread) ? view.get("templates", contentSid) : undefined;
  if (template === undefined || template.organizationId !== organizationOf(view, thread))
    throw new Refusal("templates.unknown", { contentSid, customerThreadId: thread.id });
  return template;
}

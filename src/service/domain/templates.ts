/** WhatsApp templates (specification: "List WhatsApp templates"). */
import type { BehaviourKey } from "../behaviour/table.js";
import type { Template, Thread } from "../world/records.js";
import { organizationOf } from "./access.js";
import { Refusal } from "./refusals.js";
import type { WorldView } from "./transaction.js";

/** Whether threads of a thread's channel have templates (`templates.channels`). */
const hasTemplates = ({ behaviour }: WorldView, { channel }: Thread): boolean =>
  behaviour["templates.channels"].includes(channel);

/** Whether the thread's business may use a template of its organization (`templates.scope`). */
const isInScope = (view: WorldView, { businessId }: Thread, { businessIds }: Template): boolean =>
  businessIds?.includes(businessId) !== false || view.behaviour["templates.scope"] === "organization";

/** The templates approved for a thread: those of its organization, or of its business (`templates.scope`). */
export function templatesFor(view: WorldView, thread: Thread): Template[] {
  if (!hasTemplates(view, thread)) return [];
  const templates = [...view.find("templatesByOrganization", organizationOf(view, thread))];
  return templates.filter((template) => isInScope(view, thread, template));
}

export function templatesDecidedBy(view: WorldView, thread: Thread): BehaviourKey {
  const templates = hasTemplates(view, thread)
    ? view.find("templatesByOrganization", organizationOf(view, thread))
    : [];
  const isScoped = [...templates].some(
    ({ businessIds }) => businessIds?.includes(thread.businessId) === false,
  );
  return isScoped ? "templates.scope" : "templates.channels";
}

export function templateOf(view: WorldView, thread: Thread, contentSid: string): Template {
  const template = hasTemplates(view, thread) ? view.get("templates", contentSid) : undefined;
  const isKnown = template?.organizationId === organizationOf(view, thread);
  if (template === undefined || !isKnown || !isInScope(view, thread, template))
    throw new Refusal("templates.unknown", { contentSid, customerThreadId: thread.id });
  return template;
}

/** Records as the simulated API shows them (specification: "Resources and their fields"). */

import { keysOf } from "../kernel/objects.js";
import type { Schema } from "../kernel/schema.js";
import { array, boolean, integer, nullable, object, oneOf, optional, string } from "../kernel/schema.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { WorldView } from "../service/domain/transaction.js";
import { isWindowOpen } from "../service/domain/windows.js";
import type { Customer, Template, Thread, Webhook } from "../service/world/records.js";
import { nameValueSchema, SUBSCRIPTIONS, THREAD_STATUSES } from "../service/world/records.js";

const survey = nullable(object({ createdAt: integer(), text: string() }));
const SURVEYS = ["nps", "preferredChannel"] as const;

const PROFILE = {
  id: string({ description: "customer identifier" }),
  type: nullable(string()),
  editable: nullable(boolean()),
  pictureHref: nullable(string()),
  displayName: nullable(string()),
  emailAddress: nullable(string()),
  phoneNumber: nullable(string({ description: "international format" })),
  firstName: nullable(string()),
  lastName: nullable(string()),
  company: nullable(string()),
  channel: nullable(string()),
  customerData: nullable(array(nameValueSchema)),
  lastSurveys: nullable(object({ nps: optional(survey), preferredChannel: optional(survey) })),
};
/** Fields without a known value, which may be omitted (`profile.emptyFields`). */
export const profileSchema = object(PROFILE, { title: "CustomerProfile", required: ["id"] });

/** The value of an empty field if `profile.emptyFields` is `empty`: one of its documented type. */
const emptyValue = ({ type, anyOf = [] }: Schema): unknown => {
  const types = [type, ...anyOf.map((branch) => branch.type)].flat();
  if (types.includes("string")) return "";
  if (types.includes("array")) return [];
  return types.includes("object") ? {} : true;
};

/** The fields of a profile. `profile.emptyFields` says how those without a known value look. */
export function profileOf(customer: Customer, behaviour: BehaviourValues): object {
  const fields = keysOf(PROFILE).flatMap((field): [string, unknown][] => {
    const value = field === "lastSurveys" ? surveysOf(customer, behaviour) : customer[field];
    if (value != null) return [[field, value]];
    const form = behaviour["profile.emptyFields"];
    if (form === "omit") return [];
    return [[field, form === "null" ? null : emptyValue(PROFILE[field])]];
  });
  return Object.fromEntries(fields);
}

function surveysOf({ lastSurveys }: Customer, behaviour: BehaviourValues): object | null {
  // Whether the field itself is shown without a value is decided by `profile.emptyFields`.
  if (lastSurveys === null && behaviour["profile.emptyFields"] !== "empty") return null;
  const surveys = SURVEYS.flatMap((name): [string, unknown][] => {
    const survey = lastSurveys?.[name];
    if (survey == null) return behaviour["surveys.unanswered"] === "null" ? [[name, null]] : [];
    const inSeconds = behaviour["surveys.createdAtUnit"] === "s";
    return [[name, inSeconds ? { ...survey, createdAt: Math.floor(survey.createdAt / 1000) } : survey]];
  });
  return Object.fromEntries(surveys);
}

export const threadDetailsSchema = object(
  {
    customerChannel: string({ examples: ["WHATSAPP"] }),
    status: oneOf(THREAD_STATUSES),
    isMessagingWindowOpen: boolean({
      description: "true: free-form text allowed; false: a template must be used",
    }),
  },
  { title: "CustomerThreadDetails" },
);

export const threadDetailsOf = (view: WorldView, thread: Thread) => ({
  customerChannel: thread.channel,
  status: thread.status,
  isMessagingWindowOpen: isWindowOpen(view, thread),
});

export const templateSchema = object(
  { title: string(), text: string(), contentSid: string({ description: "to pass when sending a message" }) },
  { title: "WhatsappTemplate" },
);

export const templateView = ({ title, text, id }: Template) => ({ title, text, contentSid: id });

export const webhookSchema = object(
  {
    hookId: string({ description: "unique within the organization" }),
    url: string(),
    enabled: boolean(),
    subscribedEvents: array(oneOf(SUBSCRIPTIONS)),
    extraHeaders: array(nameValueSchema),
  },
  { title: "Webhook" },
);

export const webhookView = ({ hookId, url, enabled, subscribedEvents, extraHeaders }: Webhook) => ({
  hookId,
  url,
  enabled,
  subscribedEvents,
  extraHeaders,
});

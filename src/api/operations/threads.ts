import { keysOf } from "../../kernel/objects.js";
import { array, boolean, object, oneOf, optional, string } from "../../kernel/schema.js";
import { readableThreadFor } from "../../service/domain/access.js";
import { sendMessage, templatesFor } from "../../service/domain/messages.js";
import { updateThreadStatus as setStatus } from "../../service/domain/threads.js";
import { CONTACTS, startConversation } from "../../service/domain/widget.js";
import { isWindowOpen } from "../../service/domain/windows.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import { operation } from "../operation.js";

const threadId = () => string({ "x-id": true, description: "thread identifier", examples: ["9001"] });
const query = object({ customerThreadId: threadId() });
/** For the operations that only read. */
const FOR_READERS = "Every token of the organization may read if `threads.readAccess` is `organization`.";
const THREAD_REFUSALS = ["threads.notFound", "threads.notAccessible"] as const;

export const sendMessageToCustomerThread = operation(
  "sendMessageToCustomerThread",
  "POST /api/send-message-to-customer-thread",
  {
    section: "Endpoints / Send message to a customer thread",
    summary: "Send a message into a customer thread",
    description:
      "Give exactly one of `text` and `contentSid`. While the messaging window is closed, only templates can be sent to the customer; internal text ignores the window (`window.internalMessages`).",
    body: object(
      {
        text: optional(string({ description: "free-form message body" })),
        contentSid: optional(string({ description: "template identifier" })),
        customerThreadId: threadId(),
        internal: optional(boolean({ description: "true: employee-only" })),
      },
      { oneOf: [{ required: ["text"] }, { required: ["contentSid"] }] },
    ),
    success: "sendMessage.response",
    refusals: [...THREAD_REFUSALS, "templates.unknown", "window.closedError", "limits.textLengthError"],
    example: { customerThreadId: "9001", text: "Hello, how can I help?" },
    handle: ({ body: { customerThreadId, text, contentSid, internal }, caller, run }) => {
      const message = run(sendMessage, { caller, customerThreadId, text, contentSid, internal });
      return { answer: "sendMessage.response", scope: { message } };
    },
  },
);

export const getCustomerThreadDetails = operation(
  "getCustomerThreadDetails",
  "GET /api/get-customer-thread-details",
  {
    section: "Endpoints / Get customer thread details",
    summary: "Get channel, status and messaging window of a thread",
    description: FOR_READERS,
    query,
    success: object(
      {
        customerChannel: string({ examples: ["WHATSAPP"] }),
        status: oneOf(THREAD_STATUSES),
        isMessagingWindowOpen: boolean({
          description: "true: free-form text allowed; false: a template must be used",
        }),
      },
      { title: "CustomerThreadDetails" },
    ),
    refusals: THREAD_REFUSALS,
    handle: ({ query, caller, view }) => {
      const thread = readableThreadFor(view, caller, query.customerThreadId);
      const isMessagingWindowOpen = isWindowOpen(view, thread);
      return { body: { customerChannel: thread.channel, status: thread.status, isMessagingWindowOpen } };
    },
  },
);

const template = object(
  { title: string(), text: string(), contentSid: string({ description: "to pass when sending a message" }) },
  { title: "WhatsappTemplate" },
);

export const getWhatsappTemplates = operation("getWhatsappTemplates", "GET /api/get-whatsapp-templates", {
  section: "Endpoints / List WhatsApp templates",
  summary: "List the templates approved for a thread",
  description: `Threads of other channels than WhatsApp have none. ${FOR_READERS}`,
  query,
  success: object({ templates: array(template) }),
  decidedBy: ["templates.scope"],
  refusals: THREAD_REFUSALS,
  handle: ({ query, caller, view }) => {
    const thread = readableThreadFor(view, caller, query.customerThreadId);
    const templates = templatesFor(view, thread);
    return { body: { templates: templates.map(({ title, text, id }) => ({ title, text, contentSid: id })) } };
  },
});

export const updateThreadStatus = operation("updateThreadStatus", "POST /api/update-thread-status", {
  section: "Endpoints / Update thread status",
  summary: "Change the status of a thread",
  body: object({ customerThreadId: threadId(), status: oneOf(THREAD_STATUSES) }),
  success: "threadStatus.response",
  refusals: [...THREAD_REFUSALS, "threadStatus.transitionError"],
  example: { customerThreadId: "9001", status: "resolved" },
  handle: ({ body, caller, run }) => {
    const thread = run(setStatus, { ...body, caller });
    return { answer: "threadStatus.response", scope: { thread } };
  },
});

const phone = (channel: string) =>
  optional(string({ format: "e164", description: `E.164 phone number; starts ${channel} conversation` }));

export const sendMessageToBusiness = operation(
  "sendMessageToBusiness",
  "POST /api/widget/send-message-to-business",
  {
    section: "Endpoints / Start a conversation from the widget route",
    summary: "Start a conversation on the customer's side",
    description:
      "Give exactly one of `email`, `sms` and `whatsapp`, phone numbers without the prefix `whatsapp:`. Every call opens a new thread (`widget.reuse`), which the token may use with the other endpoints.",
    body: object({
      businessId: string({ "x-id": true, examples: ["1001"] }),
      message: string({ description: "first message text" }),
      user: object(
        {
          email: optional(
            string({ format: "email", description: "valid e-mail address; starts an e-mail conversation" }),
          ),
          sms: phone("an SMS"),
          whatsapp: phone("a WhatsApp"),
          locale: optional(string()),
        },
        { oneOf: keysOf(CONTACTS).map((contact) => ({ required: [contact] })) },
      ),
    }),
    success: object({ result: oneOf(["ok"]), customerThreadId: string() }),
    decidedBy: ["widget.reuse"],
    refusals: [
      "widget.foreignBusiness",
      "widget.noSender",
      "widget.businessOffline",
      "limits.textLengthError",
    ],
    example: {
      businessId: "1001",
      message: "Hello, is my order ready?",
      user: { email: "ida@customer.example" },
    },
    handle: ({ body, caller, run }) => {
      const { thread } = run(startConversation, { ...body, caller });
      return { body: { result: "ok", customerThreadId: thread.id } };
    },
  },
);

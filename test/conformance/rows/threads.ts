import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const THREADS = {
  "Endpoints / Send message to a customer thread": about("sendMessageToCustomerThread", {
    "send.path": "POST /api/send-message-to-customer-thread sends a message",
    "send.text": "text is a string, the free-form body",
    "send.contentSid": "contentSid is a string that names a template",
    "send.thread": "customerThreadId is required and names the thread",
    "send.internal": "internal is a boolean; true posts the message in the employee-only part",
    "send.visible": "internal false makes the message visible to the customer",
    "send.internalOptional": "internal may be left out; what that means is not said: visible",
    "send.neither": "One of text and contentSid must be given",
    "send.both": "Not both of text and contentSid may be given",
    "send.windowOpen": "text is allowed while the window is open",
    "send.windowClosed": ["text is not allowed while the window is closed", "window.closedError"],
    "send.template": "With a closed window a template is sent through contentSid",
    "send.noWindow": ["Channels without a window take text at any time", "window.channels"],
    "send.empty": ["Whether text may be empty is not shown", "messages.emptyText"],
    "send.internalTemplate": ["Whether a template may be internal is not shown", "templates.internal"],
    "send.response": ["The response is not shown", "sendMessage.response"],
  }),
  "Endpoints / Get customer thread details": about("getCustomerThreadDetails", {
    "details.path": "GET /api/get-customer-thread-details answers the details",
    "details.query": "customerThreadId is a parameter of the query",
    "details.customerChannel": "customerChannel is a string",
    "details.status": "status is a string",
    "details.isMessagingWindowOpen": "isMessagingWindowOpen is a boolean",
  }),
  "Endpoints / List WhatsApp templates": about("getWhatsappTemplates", {
    "templates.path": "GET /api/get-whatsapp-templates answers the templates",
    "templates.query": "customerThreadId is a parameter of the query",
    "templates.array": "templates is an array of objects with title, text and contentSid",
    "templates.which": [
      "Which templates a thread has is not shown: one on WhatsApp those of its organization, others none",
      "templates.channels",
      "templates.scope",
    ],
  }),
  "Endpoints / Update thread status": about("updateThreadStatus", {
    "updateStatus.path": "POST /api/update-thread-status changes the status",
    "updateStatus.thread": "customerThreadId is a required string",
    "updateStatus.status": "status is a required string",
    "updateStatus.values": "status is one of waiting, replied and resolved",
    "updateStatus.access": [
      "Only threads that the token's user may access can be modified",
      "threads.notAccessible",
    ],
    "updateStatus.response": ["The response is not shown", "threadStatus.response"],
  }),
} as const satisfies Chapter;

import type { Chapter } from "../row.js";

export const THREADS = {
  "Endpoints / Send message to a customer thread": {
    "send.path": ["POST /api/send-message-to-customer-thread sends a message", "sendMessageToCustomerThread"],
    "send.text": ["text is a string, the free-form body", "sendMessageToCustomerThread"],
    "send.contentSid": ["contentSid is a string that names a template", "sendMessageToCustomerThread"],
    "send.thread": ["customerThreadId is required and names the thread", "sendMessageToCustomerThread"],
    "send.internal": [
      "internal is a boolean; true posts the message in the employee-only part",
      "sendMessageToCustomerThread",
    ],
    "send.visible": [
      "internal false makes the message visible to the customer",
      "sendMessageToCustomerThread",
    ],
    "send.internalOptional": [
      "internal may be left out; what that means is not said: visible",
      "sendMessageToCustomerThread",
    ],
    "send.neither": ["One of text and contentSid must be given", "sendMessageToCustomerThread"],
    "send.both": ["Not both of text and contentSid may be given", "sendMessageToCustomerThread"],
    "send.windowOpen": ["text is allowed while the window is open", "sendMessageToCustomerThread"],
    "send.windowClosed": ["text is not allowed while the window is closed", "window.closedError"],
    "send.template": [
      "With a closed window a template is sent through contentSid",
      "sendMessageToCustomerThread",
    ],
    "send.noWindow": ["Channels without a window take text at any time", "window.channels"],
    "send.empty": ["Whether text may be empty is not shown", "messages.emptyText"],
    "send.internalTemplate": ["Whether a template may be internal is not shown", "templates.internal"],
    "send.response": ["The response is not shown", "sendMessage.response"],
  },
  "Endpoints / Get customer thread details": {
    "details.path": ["GET /api/get-customer-thread-details answers the details", "getCustomerThreadDetails"],
    "details.query": ["customerThreadId is a parameter of the query", "getCustomerThreadDetails"],
    "details.customerChannel": ["customerChannel is a string", "getCustomerThreadDetails"],
    "details.status": ["status is a string", "getCustomerThreadDetails"],
    "details.isMessagingWindowOpen": ["isMessagingWindowOpen is a boolean", "getCustomerThreadDetails"],
  },
  "Endpoints / List WhatsApp templates": {
    "templates.path": ["GET /api/get-whatsapp-templates answers the templates", "getWhatsappTemplates"],
    "templates.query": ["customerThreadId is a parameter of the query", "getWhatsappTemplates"],
    "templates.array": [
      "templates is an array of objects with title, text and contentSid",
      "getWhatsappTemplates",
    ],
    "templates.which": [
      "Which templates a thread has is not shown: one on WhatsApp those of its organization, others none",
      "templates.channels",
      "templates.scope",
    ],
  },
  "Endpoints / Update thread status": {
    "updateStatus.path": ["POST /api/update-thread-status changes the status", "updateThreadStatus"],
    "updateStatus.thread": ["customerThreadId is a required string", "updateThreadStatus"],
    "updateStatus.status": ["status is a required string", "updateThreadStatus"],
    "updateStatus.values": ["status is one of waiting, replied and resolved", "updateThreadStatus"],
    "updateStatus.access": [
      "Only threads that the token's user may access can be modified",
      "threads.notAccessible",
    ],
    "updateStatus.response": ["The response is not shown", "threadStatus.response"],
  },
} as const satisfies Chapter;

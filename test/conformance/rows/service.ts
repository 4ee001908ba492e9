import type { Chapter } from "../row.js";

export const SERVICE = {
  "Customer Messaging Integration API Specification": {
    "base.rest": ["Every REST path is relative to one base address", "listWebhooks"],
    "base.graphql": ["GraphQL answers at /graphql below the same base address", "graphql"],
  },
  "What the service does": {
    "service.visible": ["A message can be sent to the customer of a thread", "sendMessageToCustomerThread"],
    "service.internal": ["A message can be sent that only employees see", "sendMessageToCustomerThread"],
    "service.widget": [
      "A conversation with a business can be started for a customer, with a first message",
      "sendMessageToBusiness",
    ],
    "service.window": [
      "A thread's channel can be read, and whether free-form text is allowed now",
      "getCustomerThreadDetails",
    ],
    "service.templates": ["The templates approved for a thread can be listed", "getWhatsappTemplates"],
    "service.status": ["The status of a thread can be changed", "updateThreadStatus"],
    "service.profile": ["A customer's profile can be read", "getCustomerProfile"],
    "service.profileUpdate": ["A customer's profile can be changed in part", "updateCustomerProfile"],
    "service.userDeletion": ["A user can be deleted by e-mail address", "deleteUserByEmail"],
    "service.webhooks": [
      "Webhooks that deliver message and transfer events can be managed",
      "createWebhook",
      "message event",
      "transfer event",
    ],
    "service.twoParts": [
      "A thread has a part that the customer sees and one for employees only: an event says which",
      "message event",
    ],
    "service.token": [
      "Every request carries a token, tied to a user and an organization",
      "auth.missing",
      "auth.invalid",
    ],
  },
} as const satisfies Chapter;

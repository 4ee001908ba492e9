import type { Chapter } from "../row.js";

export const WEBHOOKS = {
  "Endpoints / Webhooks (REST)": {
    "webhooks.create": ["POST /api/webhooks/ creates a webhook", "createWebhook"],
    "webhooks.createUrl": ["url is a required HTTPS URL", "createWebhook"],
    "webhooks.createEnabled": ["enabled is an optional boolean", "createWebhook"],
    "webhooks.createDefault": ["enabled is true by default", "createWebhook"],
    "webhooks.createEvents": [
      "subscribedEvents is a required array of messages and transfers",
      "createWebhook",
    ],
    "webhooks.createHeaders": ["extraHeaders is an optional array of name and value", "createWebhook"],
    "webhooks.list": ["GET /api/webhooks/ returns all webhooks of the organization", "listWebhooks"],
    "webhooks.listOwn": ["The list has no webhook of another organization", "listWebhooks"],
    "webhooks.get": ["GET /api/webhooks/:webHookId returns one", "getWebhook"],
    "webhooks.update": ["POST /api/webhooks/:webHookId/update takes the fields of create", "updateWebhook"],
    "webhooks.updateOptional": ["All fields of an update are optional", "updateWebhook"],
    "webhooks.updateTypes": ["The fields of an update have the types of create", "updateWebhook"],
    "webhooks.updateSupplied": ["Only supplied fields change", "updateWebhook"],
    "webhooks.delete": ["POST /api/webhooks/:webHookId/delete deletes one, without a body", "deleteWebhook"],
    "webhooks.responses": [
      "The responses of the five endpoints are not shown",
      "webhooks.response",
      "webhooks.createStatus",
      "webhooks.deleteResponse",
    ],
  },
  "Endpoints / Edit organization webhook URL (legacy)": {
    "legacy.path": ["POST /api/update-hook-url adds a webhook", "updateHookUrl"],
    "legacy.url": ["url is a required string", "updateHookUrl"],
    "legacy.everyMessage": ["The address is called for every new message", "legacy delivery"],
    "legacy.adds": ["Every call adds a webhook, also with the same url", "updateHookUrl"],
    "legacy.others": ["It replaces and changes no other webhook", "updateHookUrl"],
    "legacy.warning": [
      "Clients should use the other webhook endpoints: a call gets a contract warning",
      "updateHookUrl",
    ],
    "legacy.response": ["The response is not shown", "hookUrl.response"],
  },
} as const satisfies Chapter;

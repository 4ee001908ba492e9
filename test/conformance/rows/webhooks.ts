import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const WEBHOOKS = {
  "Endpoints / Webhooks (REST)": about("createWebhook", {
    "webhooks.create": "POST /api/webhooks/ creates a webhook",
    "webhooks.createUrl": "url is a required HTTPS URL",
    "webhooks.createEnabled": "enabled is an optional boolean",
    "webhooks.createDefault": "enabled is true by default",
    "webhooks.createEvents": "subscribedEvents is a required array of messages and transfers",
    "webhooks.createHeaders": "extraHeaders is an optional array of name and value",
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
  }),
  "Endpoints / Edit organization webhook URL (legacy)": about("updateHookUrl", {
    "legacy.path": "POST /api/update-hook-url adds a webhook",
    "legacy.url": "url is a required string",
    "legacy.everyMessage": ["The address is called for every new message", "legacy delivery"],
    "legacy.adds": "Every call adds a webhook, also with the same url",
    "legacy.others": "It replaces and changes no other webhook",
    "legacy.warning": "Clients should use the other webhook endpoints: a call gets a contract warning",
    "legacy.response": ["The response is not shown", "hookUrl.response"],
  }),
} as const satisfies Chapter;

import type { Chapter } from "../row.js";

export const GRAPHQL = {
  "Endpoints / Webhook operations (GraphQL)": {
    "graphql.path": ["POST /graphql takes the operations", "graphql"],
    "graphql.query": ["query is a required string, the operation's name", "graphql"],
    "graphql.variables": ["variables is an optional object", "graphql"],
    "graphql.get": ["get-hook-query answers data.hook, an array", "graphql"],
    "graphql.getFields": [
      "Each hook has hookId and url, strings, and enabled, a boolean, and no more",
      "graphql",
    ],
    "graphql.getAll": ["Without hookId it answers all webhooks of the organization", "graphql"],
    "graphql.getSome": ["hookId, an array of strings, restricts the answer to these", "graphql"],
    "graphql.save": ["save-hook-mutation answers data.saveHook: hookId, url, enabled", "graphql"],
    "graphql.saveHookId": ["save-hook-mutation requires hookId, a string", "graphql"],
    "graphql.saveCreates": ["With a new hookId it creates a webhook", "graphql"],
    "graphql.saveUpdates": ["With a known hookId it updates the webhook", "graphql"],
    "graphql.saveUrl": ["url is required when creating", "graphql"],
    "graphql.saveUrlOptional": ["url may be left out when another field is updated", "graphql"],
    "graphql.saveUrlType": ["url is a string", "graphql"],
    "graphql.saveEnabled": ["enabled is an optional boolean, true for a new webhook", "graphql"],
    "graphql.saveEvents": [
      "Which events a saved webhook is subscribed to is not shown",
      "webhooks.graphqlEvents",
    ],
    "graphql.delete": ["delete-hook-mutation answers data.deleteHook.flag, a boolean", "graphql"],
    "graphql.deleteIds": ["delete-hook-mutation requires hookId, an array of strings", "graphql"],
    "graphql.deleteFlag": ["flag is true when the deletion succeeded", "graphql", "graphql.deleteUnknown"],
    "graphql.emptyLists": [
      "What an empty hookId means is not shown: no webhook",
      "graphql.getNone",
      "graphql.deleteNone",
    ],
    "graphql.sameWebhooks": ["The operations manage the webhooks of the REST endpoints", "graphql"],
  },
} as const satisfies Chapter;

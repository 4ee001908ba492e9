import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const GRAPHQL = {
  "Endpoints / Webhook operations (GraphQL)": about("graphql", {
    "graphql.path": "POST /graphql takes the operations",
    "graphql.query": "query is a required string, the operation's name",
    "graphql.variables": "variables is an optional object",
    "graphql.get": "get-hook-query answers data.hook, an array",
    "graphql.getFields": "Each hook has hookId and url, strings, and enabled, a boolean, and no more",
    "graphql.getAll": "Without hookId it answers all webhooks of the organization",
    "graphql.getSome": "hookId, an array of strings, restricts the answer to these",
    "graphql.save": "save-hook-mutation answers data.saveHook: hookId, url, enabled",
    "graphql.saveHookId": "save-hook-mutation requires hookId, a string",
    "graphql.saveCreates": "With a new hookId it creates a webhook",
    "graphql.saveUpdates": "With a known hookId it updates the webhook",
    "graphql.saveUrl": "url is required when creating",
    "graphql.saveUrlOptional": "url may be left out when another field is updated",
    "graphql.saveUrlType": "url is a string",
    "graphql.saveEnabled": "enabled is an optional boolean, true for a new webhook",
    "graphql.saveEvents": [
      "Which events a saved webhook is subscribed to is not shown",
      "webhooks.graphqlEvents",
    ],
    "graphql.delete": "delete-hook-mutation answers data.deleteHook.flag, a boolean",
    "graphql.deleteIds": "delete-hook-mutation requires hookId, an array of strings",
    "graphql.deleteFlag": ["flag is true when the deletion succeeded", "graphql", "graphql.deleteUnknown"],
    "graphql.emptyLists": [
      "What an empty hookId means is not shown: no webhook",
      "graphql.getNone",
      "graphql.deleteNone",
    ],
    "graphql.sameWebhooks": "The operations manage the webhooks of the REST endpoints",
  }),
} as const satisfies Chapter;

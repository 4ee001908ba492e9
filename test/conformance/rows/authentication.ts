import type { Chapter } from "../row.js";

export const AUTHENTICATION = {
  Authentication: {
    "auth.token": ["Every request carries the header token with the API key", "auth.missing", "auth.invalid"],
    "auth.contentType": [
      "Every request carries Content-Type: application/json",
      "headers.contentTypeOnGet",
      "headers.contentTypeOnEmptyPost",
    ],
    "auth.user": ["The token is tied to a user", "auth.invalid"],
    "auth.ownThreads": ["Only threads that the user can access can be modified", "threads.notAccessible"],
    "auth.reading": ["Whether reading needs the same access is not shown", "threads.readAccess"],
    "auth.threads": ["Threads of another organization are out of reach", "threads.notFound"],
    "auth.customers": ["Customers of another organization are out of reach", "profile.notFound"],
    "auth.users": ["Users of another organization are out of reach", "deleteUserByEmail"],
    "auth.businesses": ["Businesses of another organization are out of reach", "sendMessageToBusiness"],
    "auth.templates": ["Templates of another organization are out of reach", "templates.unknown"],
    "auth.webhooks": ["Webhooks of another organization are out of reach (REST)", "webhooks.notFound"],
    "auth.graphqlWebhooks": ["Webhooks of another organization are out of reach (GraphQL)", "graphql"],
    "auth.deliveries": ["A webhook gets the events of its own organization only", "message event"],
    "auth.deletion": ["Deleting a user needs the permission user:delete", "users.deleteForbidden"],
    "auth.extraHeaders": ["Deliveries can carry custom headers, such as a Bearer token", "message event"],
    "auth.profiles": [
      "Whose profiles a token may read and change is not shown: those of the organization",
      "getCustomerProfile",
    ],
    "auth.foreign": ["Whether foreign records answer as unknown is not shown: they do", "profile.notFound"],
    "auth.lifetime": ["Token lifetime and rotation are not shown", "tokens.lifetime"],
    "auth.permissions": [
      "Permissions of the other endpoints are not shown",
      "permissions.required",
      "permissions.requiredError",
    ],
  },
} as const satisfies Chapter;

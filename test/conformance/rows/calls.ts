import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const CALLS = {
  Endpoints: {
    "calls.headers": [
      "All endpoints require the headers token and Content-Type",
      "auth.missing",
      "headers.contentTypeOnGet",
      "headers.contentTypeOnEmptyPost",
    ],
    "calls.jsonRequests": ["Request bodies are JSON", "sendMessageToCustomerThread"],
    "calls.jsonAnswers": ["Response bodies are JSON", "getCustomerProfile"],
    "calls.otherFields": [
      "What becomes of fields that are not documented is not shown: they are ignored",
      "body.unknownFields",
    ],
    "calls.nullFields": [
      "What null in a field means is not shown: an error, but left out in GraphQL",
      "body.nullFields",
      "graphql.nullFields",
    ],
    "calls.repeated": [
      "Which value counts of a repeated query parameter is not shown: the last",
      "query.repeated",
    ],
    "calls.slash": [
      "Whether another last slash makes a path another one is not shown: it does not",
      "paths.trailingSlash",
    ],
    "calls.otherMethods": ["What another method gets is not shown: 405", "http.wrongMethod"],
    "calls.browsers": [
      "Whether a browser's page may call is not shown: none may",
      "cors.origins",
      "http.unknownHost",
    ],
  },
  "Endpoints / Get customer profile": {
    "getProfile.path": ["GET /api/customers/:customerId/profile answers a profile", "getCustomerProfile"],
    "getProfile.id": ["customerId names the customer", "getCustomerProfile", "profile.notFound"],
    "getProfile.object": [
      "The answer is the profile object with its documented fields",
      "getCustomerProfile",
    ],
  },
  "Endpoints / Update customer profile": about("updateCustomerProfile", {
    "updateProfile.path": "POST /api/customers/:customerId/profile/update updates it",
    "updateProfile.optional": "firstName, lastName and company are optional, each alone and all together",
    "updateProfile.strings": "firstName, lastName and company are strings",
    "updateProfile.supplied": "Only supplied fields are updated",
    "updateProfile.emptyText": [
      'What "" does, and whether displayName follows the names, is not shown',
      "profile.emptyUpdate",
      "profile.displayName",
    ],
    "updateProfile.response": ["The response is not shown", "profile.updateResponse"],
  }),
  "Endpoints / Delete user by email": about("deleteUserByEmail", {
    "deleteUser.path": "POST /api/user/delete-by-email deletes a user",
    "deleteUser.required": "email is required",
    "deleteUser.string": "email is a string",
    "deleteUser.success": "Success is 200 with status success, deletedUserId and email",
    "deleteUser.types": "deletedUserId and email are strings",
    "deleteUser.organization": "Only users of the token's organization can be deleted",
    "deleteUser.permission": ["The token needs the permission user:delete", "users.deleteForbidden"],
    "deleteUser.representative":
      "The last customer representative (contactable employee) of any business cannot be deleted",
    "deleteUser.notLastRepresentative":
      "One who is not the last can be deleted, as can one who is not contactable",
    "deleteUser.pool": "The last member of an escalation pool of a business cannot be deleted",
    "deleteUser.notLastInPool": "A member who is not the last can be deleted",
    "deleteUser.spelling": [
      "Whether the case of the address counts, and whose spelling is answered, is not shown",
      "users.emailMatch",
      "users.deleteEcho",
    ],
    "deleteUser.self": [
      "Whether a token may delete its own user is not shown",
      "users.deleteSelf",
      "users.deleteSelfError",
    ],
  }),
} as const satisfies Chapter;

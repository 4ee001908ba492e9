import { about, type Chapter } from "../row.js";

export const ERRORS = {
  "Errors / Delete user by email": about("deleteUserByEmail", {
    "deleteErrors.notFound": "404 with error User not found in organization, for another's user or none",
    "deleteErrors.missing":
      "400 without email, in the validation shape: is missing and not optional at @.email",
    "deleteErrors.representative": "400 with the documented error for a business's last representative",
    "deleteErrors.pool": "400 with the documented error for the last member of an escalation pool",
    "deleteErrors.business": "That error names the business of the pool",
  }),
  "Errors / Validation error shape": about("deleteUserByEmail", {
    "shape.object": "The object has body and headers, both arrays",
    "shape.items": "Each item of body has message and property",
    "shape.headers": "headers is empty when the headers are valid",
  }),
  "Errors / Widget route": about("sendMessageToBusiness", {
    "widgetErrors.email": "400 for an invalid email",
    "widgetErrors.sms": "400 for an sms that is no E.164 number",
    "widgetErrors.whatsapp": "400 for a whatsapp that is no E.164 number",
    "widgetErrors.contacts": "400 for more than one contact field in user",
    "widgetErrors.smsPrefix": "400 for a whatsapp: prefix in sms",
    "widgetErrors.whatsappPrefix": "400 for a whatsapp: prefix in whatsapp",
    "widgetErrors.sender": ["400 without an active WhatsApp sender when whatsapp is used", "widget.noSender"],
    "widgetErrors.shape": "The details follow the validator's shape",
    "widgetErrors.headers": "400 when validation of the headers failed",
    "widgetErrors.noToken": ["401 when the API token is missing", "auth.missing"],
    "widgetErrors.badToken": ["401 when the API token is invalid", "auth.invalid"],
    "widgetErrors.business": "403 with developerMessage Business does not belong to this organization",
  }),
  Errors: {
    "errors.others": [
      "Statuses and bodies of errors of all other endpoints are not shown",
      "profile.notFound",
      "threads.notFound",
      "threads.notAccessible",
      "templates.unknown",
      "window.closedError",
      "webhooks.notFound",
      "graphql.errors",
      "graphql.errorStatus",
    ],
    "errors.codes": ["Error codes are not shown: only GraphQL errors have them", "graphql.errors"],
  },
  Limits: {
    "limits.rate": ["Rate limits are not shown", "limits.rate", "limits.rateError"],
    "limits.text": [
      "The maximum length of a message text is not shown",
      "limits.textLength",
      "limits.textLengthError",
      "limits.textUnit",
    ],
    "limits.hooks": ["A limit of webhooks is not shown", "limits.webhooks", "limits.webhooksError"],
    "limits.payload": ["Payload sizes are not shown", "limits.bodyBytes"],
    "limits.encoding": [
      "Encodings are not shown: gzip, deflate, br, or else 415",
      "sendMessageToCustomerThread",
    ],
    "limits.window": ["The duration of the messaging window is not shown", "window.duration"],
  },
  Versioning: {
    "version.paths": ["No version is carried in the paths", "listWebhooks"],
    "version.legacyEndpoint": ["The legacy endpoint remains available", "updateHookUrl"],
    "version.legacyPayload": ["The legacy payload remains available", "legacy delivery"],
    "version.current": [
      "The webhook endpoints, and payloads with eventType, are the current forms: their webhooks get these",
      "createWebhook",
      "message event",
    ],
    "version.scheme": [
      "Version scheme, deprecation policy and change notices are not shown: no answer or delivery has any",
      "updateHookUrl",
      "message event",
    ],
  },
} as const satisfies Chapter;

import type { Chapter } from "../row.js";
import { about } from "../row.js";

export const RESOURCES = {
  "Resources and their fields / Customer profile": about("getCustomerProfile", {
    "profile.id": "id is a string, the customer's identifier",
    "profile.type": "type is a string",
    "profile.editable": "editable is a boolean",
    "profile.pictureHref": "pictureHref is a string, the URL of the picture",
    "profile.displayName": "displayName is a string",
    "profile.emailAddress": "emailAddress is a string",
    "profile.phoneNumber": "phoneNumber is a string",
    "profile.internationalPhone": "phoneNumber has the international format",
    "profile.firstName": "firstName is a string",
    "profile.updatableFirstName": ["firstName can be updated", "updateCustomerProfile"],
    "profile.lastName": "lastName is a string",
    "profile.updatableLastName": ["lastName can be updated", "updateCustomerProfile"],
    "profile.company": "company is a string",
    "profile.updatableCompany": ["company can be updated", "updateCustomerProfile"],
    "profile.channel": "channel is a string, the customer's channel",
    "profile.customerData": "customerData is an array",
    "profile.customerDataItems": "Each item of customerData has a name and a value, both strings",
    "profile.lastSurveys": "lastSurveys is an object",
    "profile.surveyNames": "lastSurveys has the keys nps and preferredChannel",
    "profile.surveyFields": "A survey has createdAt, an integer, and text, a string",
    "profile.surveyUnit": ["The unit of createdAt is not shown", "surveys.createdAtUnit"],
    "profile.openTypes": [
      "The values of type and channel are not shown, beyond prospect and WHATSAPP, EMAIL, SMS",
      "customers.unknownType",
    ],
    "profile.unknown": [
      "How a field looks of which nothing is known is not shown: it has its documented type",
      "profile.emptyFields",
      "surveys.unanswered",
    ],
    "profile.editableUse": [
      "Whether editable false forbids an update is not shown",
      "profile.notEditable",
      "profile.notEditableError",
    ],
  }),
  "Resources and their fields / Customer thread": about("getCustomerThreadDetails", {
    "thread.idInRequests": ["A thread's identifier is a string in requests", "ids.acceptNumbers"],
    "thread.idInMessages": ["A thread's identifier is an integer in message events", "message event"],
    "thread.idInTransfers": ["A thread's identifier is a string in transfer events", "transfer event"],
    "thread.statuses": ["status is one of waiting, replied, resolved", "updateThreadStatus"],
    "thread.channel": "customerChannel is the channel type in upper case",
    "thread.windowOpen": [
      "isMessagingWindowOpen is true where free-form text is allowed",
      "sendMessageToCustomerThread",
    ],
    "thread.windowClosed": [
      "isMessagingWindowOpen is false where a template must be used",
      "window.closedError",
    ],
    "thread.otherFields": "Other fields of a thread are not shown, and no answer has any",
    "thread.channelValues": "The values of customerChannel are not shown: details have the thread's own",
  }),
  "Resources and their fields / WhatsApp template": about("getWhatsappTemplates", {
    "template.title": "title is a string, the template's name",
    "template.text": "text is a string, the template's body",
    "template.contentSid": "contentSid is a string",
    "template.use": ["contentSid is what a message with the template names", "sendMessageToCustomerThread"],
  }),
  "Resources and their fields / Webhook": about("createWebhook", {
    "webhook.hookId": ["hookId is unique within the organization, not beyond it", "graphql"],
    "webhook.url": ["url is the HTTPS URL that receives the deliveries", "webhooks.insecureUrls"],
    "webhook.post": ["The URL receives deliveries by POST", "message event"],
    "webhook.enabled": ["enabled says whether the webhook forwards events", "updateWebhook"],
    "webhook.enabledDefault": "enabled is true for a new webhook",
    "webhook.subscribedEvents": "subscribedEvents is an array of messages and transfers",
    "webhook.extraHeaders": "extraHeaders is an array of a name and a value each, strings",
    "webhook.headersSent": ["The extraHeaders are sent on every delivery", "message event"],
    "webhook.noEvents": [
      "Whether subscribedEvents may be empty, or name an event twice, is not shown",
      "webhooks.emptySubscriptions",
      "webhooks.doubledEvents",
    ],
    "webhook.sameHeaders": [
      "What is sent of a header named twice, or of one that every delivery has, is not shown",
      "delivery.repeatedHeaders",
      "delivery.contentType",
    ],
  }),
  "Resources and their fields / Other records": {
    "records.identifiers": [
      "Businesses, organizations, users and messages are referred to by identifier only",
      "message event",
    ],
  },
} as const satisfies Chapter;

/** What calls about webhooks do with unknown, empty and repeated parts, and what is sent of their headers. */
import { choice, entry } from "./entry.js";

export const WEBHOOK_POLICIES = {
  "webhooks.doubledEvents": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "What is an event that subscribedEvents names twice: one subscription, or an error?",
    schema: choice("merge", "reject"),
    default: "merge",
  }),
  "webhooks.emptySubscriptions": entry({
    section: "Endpoints / Webhooks (REST)",
    question: "Is an empty list of subscribedEvents taken?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "graphql.deleteUnknown": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question:
      "What does a delete that names unknown webhooks: nothing, with flag false, or does it delete the known ones, with flag true?",
    schema: choice("refuse", "skip"),
    default: "refuse",
  }),
  "graphql.deleteNone": entry({
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "Which flag has a delete that names no webhook: false, or true?",
    schema: choice("refuse", "succeed"),
    default: "refuse",
  }),
  "delivery.repeatedHeaders": entry({
    section: "Authentication",
    question:
      "What is sent of a header that extraHeaders name more than once: its values joined with commas, or the last one? Of Host it is the last.",
    schema: choice("join", "last"),
    default: "join",
  }),
  "delivery.contentType": entry({
    section: "Authentication",
    question: "May extraHeaders replace the Content-Type of a delivery, or is that always application/json?",
    schema: choice("webhook", "json"),
    default: "webhook",
  }),
} as const;

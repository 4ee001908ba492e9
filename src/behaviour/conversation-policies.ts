/** Rules about customers, conversations and what is told of them that the specification leaves open. */
import { array, nullable, string } from "../kernel/schema.js";
import { choice, entry } from "./entry.js";

const WIDGET = "Endpoints / Start a conversation from the widget route";
const TRANSFER = "Events / Transfer event payload";
const AUTHENTICATION = "Authentication";

export const CONVERSATION_POLICIES = {
  "customers.unknownType": entry({
    section: "Resources and their fields / Customer profile",
    question:
      "Which type has a customer of whom none is known: a new one of the widget route, and in message events one without a type?",
    schema: string(),
    default: "prospect",
  }),
  "profile.access": entry({
    section: AUTHENTICATION,
    question:
      "Whose profile may a token read and change: that of every customer of the organization, or only of customers with a thread that its user may access?",
    schema: choice("organization", "user"),
    default: "organization",
  }),
  "ids.foreign": entry({
    section: AUTHENTICATION,
    question:
      "How does a thread or customer of another organization answer: like an unknown one, or like one without access?",
    schema: choice("unknown", "forbidden"),
    default: "unknown",
  }),
  "widget.customerMatch": entry({
    section: WIDGET,
    question: "Who is the customer: one of the organization with exactly this contact, or always a new one?",
    schema: choice("exact", "never"),
    default: "exact",
  }),
  "widget.knownLocale": entry({
    section: WIDGET,
    question: "What does locale do to a customer who is known: nothing, or does it replace the customer's?",
    schema: choice("keep", "update"),
    default: "keep",
  }),
  "widget.window": entry({
    section: WIDGET,
    question:
      "How does the messaging window of a new conversation stand? Closed, the first message opens it only where window.duration is set.",
    schema: choice("open", "closed"),
    default: "open",
  }),
  "templates.channels": entry({
    section: "Endpoints / List WhatsApp templates",
    question: "Threads of which channels have templates?",
    schema: array(string({ minLength: 1 }), { uniqueItems: true }),
    default: ["WHATSAPP"],
  }),
  "templates.internal": entry({
    section: "Endpoints / Send message to a customer thread",
    question: "Is a template taken as an internal message?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "transfers.employee": entry({
    section: TRANSFER,
    question:
      "Which employeeUserId has a transfer that nobody is named for: the lowest user id of the new business, or 0?",
    schema: choice("lowest", "zero"),
    default: "lowest",
  }),
  "transfers.participation": entry({
    section: TRANSFER,
    question:
      "What is businessParticipationId: a number of its own for each transfer, or the new business's id?",
    schema: choice("counter", "business"),
    default: "counter",
  }),
  "events.attachmentLength": entry({
    section: "Events / Gaps in event delivery",
    question: "Of which type is messageAttachmentContentLength where it holds a value?",
    schema: choice("integer", "string"),
    default: "integer",
  }),
  "legacy.messageExternalId": entry({
    section: "Events / Gaps in event delivery",
    question: "What does messageExternalId hold: always null, or the message's id as a string?",
    schema: nullable(choice("messageId")),
    default: null,
  }),
} as const;

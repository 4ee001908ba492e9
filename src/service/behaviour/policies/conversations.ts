import { durationSchema } from "../../../kernel/duration.js";
import { anyOf, array, nullable, oneOf, record } from "../../../kernel/schema.js";
import { THREAD_STATUSES } from "../../world/records.js";
import { choice, entry, words } from "../entry.js";

const AUTHENTICATION = "Authentication";
const WIDGET = "Endpoints / Start a conversation from the widget route";
const TRANSFER = "Events / Transfer event payload";

export const CONVERSATION_POLICIES = {
  "threadStatus.transitions": entry({
    section: "States and transitions / Thread status",
    question: "Which status may move to which?",
    schema: anyOf([
      choice("any"),
      record(array(oneOf(THREAD_STATUSES), { maxItems: 100 }), { propertyNames: { enum: THREAD_STATUSES } }),
    ]),
    default: "any",
  }),
  "threadStatus.autoMoves": entry({
    section: "States and transitions / Thread status",
    question:
      "Does a message move the status: a customer's to waiting, an employee's visible one to replied?",
    schema: choice("none", "realistic"),
    default: "none",
    realistic: "realistic",
  }),
  "threads.readAccess": entry({
    section: AUTHENTICATION,
    question:
      "Who may read details and templates of a thread: only who may modify it, or every token of the organization?",
    schema: choice("user", "organization"),
    default: "user",
  }),
  "widget.threadStatus": entry({
    section: WIDGET,
    question: "Which status does a new conversation have?",
    schema: oneOf(THREAD_STATUSES),
    default: "waiting",
  }),
  "widget.emailFormat": entry({
    section: WIDGET,
    question:
      "What is a valid e-mail address: what HTML calls one, or what the pattern of schema-inspector takes, which refuses a@shop.co.uk?",
    schema: choice("valid", "schema-inspector"),
    default: "valid",
  }),
  "widget.threadAccess": entry({
    section: WIDGET,
    question:
      "Who may use a thread of the widget route with the other endpoints: also the token that began it, or only users of its business?",
    schema: choice("token", "business"),
    default: "token",
  }),
  "widget.reuse": entry({
    section: WIDGET,
    question:
      "Does every call open a thread, or does one of the same customer, business and channel that is not resolved go on?",
    schema: choice("never", "open"),
    default: "never",
  }),
  "window.channels": entry({
    section: "States and transitions / Messaging window",
    question: "Which channels limit free-form text to a messaging window?",
    schema: words(),
    default: ["WHATSAPP"],
  }),
  "window.duration": entry({
    section: "States and transitions / Messaging window",
    question: "How long does an inbound message keep the window open? null: the window moves only by hand.",
    schema: nullable(durationSchema),
    default: null,
    realistic: "24h",
  }),
  "window.undatedEnd": entry({
    section: "States and transitions / Messaging window",
    question:
      "When does an open window end that has no windowClosesAt, where window.duration is set: never, or that long after the customer's last message (after the sandbox's start where that has passed or there is no message)?",
    schema: choice("never", "lastMessage"),
    default: "never",
    realistic: "lastMessage",
  }),
  "window.internalMessages": entry({
    section: "States and transitions / Messaging window",
    question: "Does internal text ignore the messaging window, or is it bound by it?",
    schema: choice("exempt", "bound"),
    default: "exempt",
  }),
  "messages.emptyText": entry({
    section: "Endpoints / Send message to a customer thread",
    question: "Is a message taken whose text is empty?",
    schema: choice("accept", "reject"),
    default: "accept",
    realistic: "reject",
  }),
  "widget.customerMatch": entry({
    section: WIDGET,
    question:
      "Who is the customer: one of the organization with exactly this contact, one whose e-mail address differs only in case, or always a new one?",
    schema: choice("exact", "caseless", "never"),
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
    schema: words(),
    default: ["WHATSAPP"],
  }),
  "templates.scope": entry({
    section: "Endpoints / List WhatsApp templates",
    question:
      "Which templates are approved for a thread: all of its organization, or those that its business may use (businessIds of the template; without it: all businesses)?",
    schema: choice("organization", "business"),
    default: "organization",
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
} as const;

import { durationSchema } from "../../../kernel/duration.js";
import { anyOf, array, nullable, oneOf, record } from "../../../kernel/schema.js";
import { channel, THREAD_STATUSES } from "../../world/records.js";
import { choice, entry } from "../entry.js";

const AUTHENTICATION = "Authentication";
const WIDGET = "Endpoints / Start a conversation from the widget route";
const TRANSFER = "Events / Transfer event payload";

const channels = () => array(channel({ maxLength: 1_000 }), { maxItems: 1_000, uniqueItems: true });

export const CONVERSATION_POLICIES = {
  "threadStatus.transitions": entry({
    section: "States and transitions / Thread status",
    question: "Which status changes are allowed?",
    schema: anyOf([
      choice("any"),
      record(array(oneOf(THREAD_STATUSES), { maxItems: 100 }), { propertyNames: { enum: THREAD_STATUSES } }),
    ]),
    default: "any",
  }),
  "threadStatus.autoMoves": entry({
    section: "States and transitions / Thread status",
    question:
      "Does a message change the status: a customer's to waiting, an employee's visible reply to replied?",
    schema: choice("none", "realistic"),
    default: "none",
    realistic: "realistic",
  }),
  "threads.readAccess": entry({
    section: AUTHENTICATION,
    question:
      "Who may read the details and templates of a thread: only users who may modify it, or every token of the organization?",
    schema: choice("user", "organization"),
    default: "user",
  }),
  "widget.threadStatus": entry({
    section: WIDGET,
    question: "What is the status of a new conversation?",
    schema: oneOf(THREAD_STATUSES),
    default: "waiting",
  }),
  "widget.emailFormat": entry({
    section: WIDGET,
    question:
      "Which e-mail addresses are valid: those that HTML accepts, or those that match schema-inspector's pattern, which refuses a@shop.co.uk?",
    schema: choice("valid", "schema-inspector"),
    default: "valid",
  }),
  "widget.threadAccess": entry({
    section: WIDGET,
    question:
      "Who may use a thread of the widget route with the other endpoints: also the token that started it, or only users of its business?",
    schema: choice("token", "business"),
    default: "token",
  }),
  "widget.reuse": entry({
    section: WIDGET,
    question:
      "Does every call open a new thread, or does it continue an unresolved thread of the same customer, business and channel?",
    schema: choice("never", "open"),
    default: "never",
  }),
  "window.channels": entry({
    section: "States and transitions / Messaging window",
    question: "Which channels limit free-form text to a messaging window?",
    schema: channels(),
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
      "If window.duration is set, when does an open window without windowClosesAt end: never, or that long after the customer's last message (after the sandbox's start if that time has passed or there is no message)?",
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
    question: "Is a message with empty text accepted?",
    schema: choice("accept", "reject"),
    default: "accept",
    realistic: "reject",
  }),
  "widget.customerMatch": entry({
    section: WIDGET,
    question:
      "Which customer is used: an existing one with exactly this contact, one whose e-mail address differs only in case, or always a new one?",
    schema: choice("exact", "caseless", "never"),
    default: "exact",
  }),
  "widget.knownLocale": entry({
    section: WIDGET,
    question: "Does locale replace the locale of an existing customer?",
    schema: choice("keep", "update"),
    default: "keep",
  }),
  "widget.window": entry({
    section: WIDGET,
    question:
      "Is the messaging window of a new conversation open? If closed, the first message opens it only if window.duration is set.",
    schema: choice("open", "closed"),
    default: "open",
  }),
  "templates.channels": entry({
    section: "Endpoints / List WhatsApp templates",
    question: "Which channels have templates?",
    schema: channels(),
    default: ["WHATSAPP"],
  }),
  "templates.scope": entry({
    section: "Endpoints / List WhatsApp templates",
    question:
      "Which templates are approved for a thread: all of its organization, or those of its business (businessIds of the template; all businesses if it has none)?",
    schema: choice("organization", "business"),
    default: "organization",
  }),
  "templates.internal": entry({
    section: "Endpoints / Send message to a customer thread",
    question: "Is a template accepted as an internal message?",
    schema: choice("accept", "reject"),
    default: "accept",
  }),
  "transfers.employee": entry({
    section: TRANSFER,
    question:
      "What is the employeeUserId of a transfer that names no user: the lowest user id of the new business, or 0?",
    schema: choice("lowest", "zero"),
    default: "lowest",
  }),
  "transfers.participation": entry({
    section: TRANSFER,
    question: "What is businessParticipationId: a new number for each transfer, or the new business's id?",
    schema: choice("counter", "business"),
    default: "counter",
  }),
} as const;

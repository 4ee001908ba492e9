import { anyOf, array, nullable, oneOf, record } from "../../../kernel/schema.js";
import { durationSchema } from "../../../kernel/units.js";
import { channel, THREAD_STATUSES } from "../../world/records.js";
import { choice, entry } from "../entry.js";

const PROFILE = "Resources and their fields / Customer profile";
const UPDATE_PROFILE = "Endpoints / Update customer profile";
const DELETE_USER = "Endpoints / Delete user by email";
const WINDOW = "States and transitions / Messaging window";
const STATUS = "States and transitions / Thread status";
const SEND_MESSAGE = "Endpoints / Send message to a customer thread";
const TEMPLATES = "Endpoints / List WhatsApp templates";
const AUTHENTICATION = "Authentication";
const WIDGET = "Endpoints / Start a conversation from the widget route";

export const CONVERSATION_POLICIES = {
  "profile.emptyFields": choice(
    PROFILE,
    'How does a profile show an unknown field: empty with its documented type ("", [], {}; editable as true), as null, or not at all?',
    ["empty", "null", "omit"],
  ),
  "surveys.unanswered": choice(
    PROFILE,
    "How does lastSurveys show an unanswered survey: not at all, or as null?",
    ["omit", "null"],
  ),
  "profile.notEditable": choice(PROFILE, "Is a profile with editable: false updated?", ["update", "refuse"]),
  "profile.displayName": choice(
    UPDATE_PROFILE,
    "Does an update of the first or last name leave displayName, or derive it from both names?",
    ["keep", "derive"],
  ),
  "profile.emptyUpdate": choice(
    UPDATE_PROFILE,
    'Is "" stored as a value, or ignored like an omitted field?',
    ["store", "ignore"],
  ),
  "surveys.createdAtUnit": choice(PROFILE, "What is the unit of a survey's createdAt?", ["ms", "s"]),
  "users.emailMatch": choice(DELETE_USER, "Is the address case-sensitive when a user is deleted?", [
    "caseless",
    "exact",
  ]),
  "users.deleteSelf": choice(DELETE_USER, "May a token delete its own user?", ["allow", "refuse"]),
  "users.deleteEcho": choice(
    DELETE_USER,
    "Which spelling of the address does the response contain: the stored one, or the one sent?",
    ["stored", "sent"],
  ),
  "threadStatus.transitions": entry({
    section: STATUS,
    question:
      "Which status changes are allowed: any, or those listed by status ({ waiting: [replied, …], … })?",
    schema: anyOf([
      oneOf(["any"]),
      record(array(oneOf(THREAD_STATUSES), { maxItems: 100 }), { propertyNames: { enum: THREAD_STATUSES } }),
    ]),
    default: "any",
  }),
  "threadStatus.autoMoves": choice(
    STATUS,
    "Does a message change the status: a customer's to waiting, an employee's visible reply to replied?",
    ["none", "realistic"],
    "realistic",
  ),
  "threads.readAccess": choice(
    AUTHENTICATION,
    "Who may read the details and templates of a thread: only users who may modify it, or every token of the organization?",
    ["user", "organization"],
  ),
  "widget.emailFormat": choice(
    WIDGET,
    "Which e-mail addresses are valid: those that HTML accepts, or those that match schema-inspector's pattern, which refuses a@shop.co.uk?",
    ["valid", "schema-inspector"],
  ),
  "widget.threadAccess": choice(
    WIDGET,
    "Who may use a thread of the widget route with the other endpoints: also the token that started it, or only users of its business?",
    ["token", "business"],
  ),
  "widget.reuse": choice(
    WIDGET,
    "Does every call open a new thread, or does it continue an unresolved thread of the same customer, business and channel?",
    ["never", "open"],
  ),
  "window.channels": entry({
    section: WINDOW,
    question: "Which channels limit free-form text to a messaging window?",
    schema: array(channel({ maxLength: 1_000 }), { maxItems: 1_000, uniqueItems: true }),
    default: ["WHATSAPP"],
  }),
  "window.duration": entry({
    section: WINDOW,
    question: "How long does an inbound message keep the window open? null: the window moves only by hand.",
    schema: nullable(durationSchema),
    default: null,
    realistic: "24h",
  }),
  "window.undatedEnd": choice(
    WINDOW,
    "If window.duration is set, when does an open window without windowClosesAt end: never, or that long after the customer's last message (after the sandbox's start if that time has passed or there is no message)?",
    ["never", "lastMessage"],
    "lastMessage",
  ),
  "window.internalMessages": choice(
    WINDOW,
    "Does internal text ignore the messaging window, or need an open one?",
    ["exempt", "bound"],
  ),
  "messages.emptyText": choice(
    SEND_MESSAGE,
    "Is a message with empty text accepted?",
    ["accept", "reject"],
    "reject",
  ),
  "widget.customerMatch": choice(
    WIDGET,
    "Which customer is used: an existing one with exactly this contact, one whose e-mail address may differ in case, or always a new one?",
    ["exact", "caseless", "never"],
  ),
  "templates.scope": choice(
    TEMPLATES,
    "Which templates are approved for a thread: all of its organization, or those of its business (businessIds of the template; all businesses if it has none)?",
    ["organization", "business"],
  ),
} as const;

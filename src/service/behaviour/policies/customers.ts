import { string } from "../../../kernel/schema.js";
import { choice, entry } from "../entry.js";

const AUTHENTICATION = "Authentication";

export const CUSTOMER_POLICIES = {
  "profile.emptyFields": entry({
    section: "Resources and their fields / Customer profile",
    question:
      'How does a profile show an unknown field: empty with its documented type ("", [], {}; editable as true), as null, or not at all?',
    schema: choice("empty", "null", "omit"),
    default: "empty",
  }),
  "surveys.unanswered": entry({
    section: "Resources and their fields / Customer profile",
    question: "How does lastSurveys show an unanswered survey: not at all, or as null?",
    schema: choice("omit", "null"),
    default: "omit",
  }),
  "profile.notEditable": entry({
    section: "Resources and their fields / Customer profile",
    question: "Is a profile with editable: false updated?",
    schema: choice("update", "refuse"),
    default: "update",
  }),
  "profile.displayName": entry({
    section: "Endpoints / Update customer profile",
    question: "Does an update of the first or last name leave displayName, or derive it from both names?",
    schema: choice("keep", "derive"),
    default: "keep",
  }),
  "profile.emptyUpdate": entry({
    section: "Endpoints / Update customer profile",
    question: 'Is "" stored as a value, or ignored like an omitted field?',
    schema: choice("store", "ignore"),
    default: "store",
  }),
  "surveys.createdAtUnit": entry({
    section: "Resources and their fields / Customer profile",
    question: "What is the unit of a survey's createdAt?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "users.emailMatch": entry({
    section: "Endpoints / Delete user by email",
    question: "Is the address case-sensitive when a user is deleted?",
    schema: choice("caseless", "exact"),
    default: "caseless",
  }),
  "users.deleteSelf": entry({
    section: "Endpoints / Delete user by email",
    question: "May a token delete its own user?",
    schema: choice("allow", "refuse"),
    default: "allow",
  }),
  "users.deleteEcho": entry({
    section: "Endpoints / Delete user by email",
    question: "Which spelling of the address does the answer have: the stored one, or the one sent?",
    schema: choice("stored", "sent"),
    default: "stored",
  }),
  "customers.unknownType": entry({
    section: "Resources and their fields / Customer profile",
    question:
      "What is the type of a customer without one: a new customer of the widget route, and an untyped one in message events?",
    schema: string({ maxLength: 1_000 }),
    default: "prospect",
  }),
  "profile.access": entry({
    section: AUTHENTICATION,
    question:
      "Which profiles may a token read and change: those of all customers of the organization, or only of customers with a thread that its user may access?",
    schema: choice("organization", "user"),
    default: "organization",
  }),
} as const;

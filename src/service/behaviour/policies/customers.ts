import { string } from "../../../kernel/schema.js";
import { choice, entry } from "../entry.js";

const AUTHENTICATION = "Authentication";

export const CUSTOMER_POLICIES = {
  "profile.emptyFields": entry({
    section: "Resources and their fields / Customer profile",
    question:
      'How does a profile show a field of which nothing is known: empty, with its documented type ("", [], {}; editable as true), as null, or not at all?',
    schema: choice("empty", "null", "omit"),
    default: "empty",
  }),
  "surveys.unanswered": entry({
    section: "Resources and their fields / Customer profile",
    question: "How does lastSurveys show a survey of which nothing is known: not at all, or as null?",
    schema: choice("omit", "null"),
    default: "omit",
  }),
  "profile.notEditable": entry({
    section: "Resources and their fields / Customer profile",
    question: "Is the profile of a customer whose editable is false updated?",
    schema: choice("update", "refuse"),
    default: "update",
  }),
  "profile.displayName": entry({
    section: "Endpoints / Update customer profile",
    question:
      "What does an update of the first or last name do to displayName: nothing, or is it derived from both names?",
    schema: choice("keep", "derive"),
    default: "keep",
  }),
  "profile.emptyUpdate": entry({
    section: "Endpoints / Update customer profile",
    question: 'Is "" stored as the value of a field, or ignored as if the field were left out?',
    schema: choice("store", "ignore"),
    default: "store",
  }),
  "surveys.createdAtUnit": entry({
    section: "Resources and their fields / Customer profile",
    question: "In which unit is createdAt of a survey?",
    schema: choice("ms", "s"),
    default: "ms",
  }),
  "users.emailMatch": entry({
    section: "Endpoints / Delete user by email",
    question: "Does the case of the address matter when a user is deleted?",
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
    question: "Which spelling of the address does the answer have: the user's own, or that of the request?",
    schema: choice("stored", "sent"),
    default: "stored",
  }),
  "customers.unknownType": entry({
    section: "Resources and their fields / Customer profile",
    question:
      "Which type has a customer of whom none is known: a new one of the widget route, and in message events one without a type?",
    schema: string({ maxLength: 1_000 }),
    default: "prospect",
  }),
  "profile.access": entry({
    section: AUTHENTICATION,
    question:
      "Whose profile may a token read and change: that of every customer of the organization, or only of customers with a thread that its user may access?",
    schema: choice("organization", "user"),
    default: "organization",
  }),
} as const;

/** Profiles of customers, and users. */
import { string } from "../../kernel/schema.js";
import { choice, entry } from "../entry.js";

const AUTHENTICATION = "Authentication";

export const CUSTOMER_POLICIES = {
  "profile.emptyFields": entry({
    section: "Resources and their fields / Customer profile",
    question:
      'How does a profile show a field of which nothing is known: as null, not at all, or empty ("", [], {}; editable as null)?',
    schema: choice("null", "omit", "empty"),
    default: "null",
  }),
  "profile.notEditable": entry({
    section: "Resources and their fields / Customer profile",
    question: "Is the profile of a customer whose editable is false updated?",
    schema: choice("update", "refuse"),
    default: "update",
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

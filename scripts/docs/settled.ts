/** Questions that the specification leaves open and that need no entry, because only one answer is useful. */

interface Settled {
  /** The section of the specification that leaves the question open. */
  readonly section: string;
  readonly question: string;
  readonly answer: string;
  readonly why: string;
}

export const SETTLED: readonly Settled[] = [
  {
    section: "Resources and their fields / Customer profile",
    question: "Which values may type, channel and customerChannel have?",
    answer: "Any text as a type, any upper-case name as a channel.",
    why: "The fixture sets them for each customer and thread, so an entry would only repeat it.",
  },
  {
    section: "Resources and their fields / Customer thread",
    question: "Which other fields does a thread have?",
    answer: "None in the API.",
    why: "An undocumented field has no name.",
  },
  {
    section: "Resources and their fields / Webhook",
    question: "What is the response to a hookId of another organization?",
    answer: "The same as to an unknown one, regardless of `ids.foreign`.",
    why: "A hookId is only unique within its organization, so it is free in the caller's.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "What is the response to a template of another organization?",
    answer: "That of `templates.unknown`.",
    why: "A thread only has the templates of its own organization.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "What happens to a deleted user's tokens and places in escalation pools?",
    answer: "They are deleted with the user; messages stay.",
    why: "A token is tied to a user, and a pool lists users. A remaining token would get `auth.invalid` anyway.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "Which pool does the refusal name if the user is the last member of several?",
    answer: "That of the lowest business id.",
    why: "The documented text names one pool. Any of them is correct, but the same calls must give the same responses.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "Which refusal comes first for a user who is the last representative and the last of a pool?",
    answer: "That of the last representative.",
    why: "Both are correct, the response has room for one, and the specification lists this one first.",
  },
  {
    section: "Events / Gaps in event delivery",
    question: "What are the types of an attachment's UUID, name and content type?",
    answer: "Strings.",
    why: "No other JSON type fits a UUID, a name or a media type.",
  },
  {
    section: "Errors",
    question: "Is there a catalogue of error codes?",
    answer: "Only GraphQL errors have a code (`graphql.errors`).",
    why: "Every other error response is an entry whose value is the whole body, so it can include a code.",
  },
  {
    section: "Versioning",
    question: "Are there a version scheme and a deprecation policy?",
    answer:
      "No: no path, header or body contains a version. Calls to the legacy endpoint get a contract warning.",
    why: "The specification shows paths without a version and announces no policy.",
  },
  {
    section: "Authentication",
    question: "Which threads may a token's user access?",
    answer: "Those of the user's businesses at the time of the call.",
    why: "The specification ties threads to businesses and access to users, and mentions no other link.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question:
      "May the token that started a conversation use its thread after a transfer to another business?",
    answer: "Yes, if `widget.threadAccess` is `token`.",
    why: "Rule 3 grants access to the thread and does not mention revoking it.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "Which customers are searched for the contact?",
    answer: "All customers of the organization, regardless of business.",
    why: "A profile belongs to an organization and names no business. `widget.customerMatch` decides how contacts are compared.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "Which texts are valid as locale and hookId?",
    answer: "Any text as locale; any non-empty text as hookId.",
    why: "Both are strings without a documented form, and are only stored and compared.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "Who sees a message without internal?",
    answer: "The customer: it counts as false.",
    why: "The endpoint's name says that it sends to the customer, and false is the usual default.",
  },
  {
    section: "Endpoints / Edit organization webhook URL (legacy)",
    question: "Is a legacy webhook still legacy after an update through the other endpoints?",
    answer: "Yes: it keeps its payload format and its single attempt.",
    why: "The specification calls webhooks legacy that were set through the legacy endpoint; an update does not change that.",
  },
  {
    section: "Endpoints / Webhooks (REST)",
    question: "What is the order of lists?",
    answer: "Creation order, starting with the fixture's records in their order.",
    why: "No order is documented, so clients must not rely on one, but the same calls must give the same responses.",
  },
  {
    section: "Limits",
    question: "What does a rate limit count?",
    answer: "The calls of each token separately.",
    why: "The token is the only documented identity of a caller.",
  },
];

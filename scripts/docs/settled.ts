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
    section: "Resources and their fields / Customer profile",
    question: "What is the type of a new customer, and of one without a type in message events?",
    answer: "`prospect`.",
    why: "It is the only type that the specification names.",
  },
  {
    section: "Resources and their fields / Customer thread",
    question: "Which other fields does a thread have?",
    answer: "None in the API.",
    why: "An undocumented field has no name.",
  },
  {
    section: "Authentication",
    question: "What is the response to an id of another organization?",
    answer:
      "The same as to an unknown one. The widget route answers both with the documented 403 for a business.",
    why: "Any other response would tell a caller what exists in another organization.",
  },
  {
    section: "Authentication",
    question: "Which profiles may a token read and change?",
    answer: "Those of all customers of the organization.",
    why: "The specification ties access to threads, and a profile belongs to an organization.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "What are the status and the messaging window of a new conversation?",
    answer: "`waiting`, and open.",
    why: "The customer has just written.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "What is the response to a template of another organization?",
    answer: "That of `templates.unknown`.",
    why: "A thread only has the templates of its own organization.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "May a template be an internal message?",
    answer: "Yes.",
    why: "The specification documents `contentSid` and `internal` side by side, without a restriction.",
  },
  {
    section: "Endpoints / List WhatsApp templates",
    question: "Which threads have templates?",
    answer: "Those on WhatsApp.",
    why: "The endpoint lists WhatsApp templates.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "What is the response to a token that deletes its own user, if it may not?",
    answer: "403 with an error as text, if `users.deleteSelf` is `refuse`.",
    why: "Only the refusal matters: a client does not delete itself by accident.",
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
    question: "What are the types of the attachment fields?",
    answer: "UUID, name and content type are strings, the length is an integer.",
    why: "No other JSON type fits a UUID, a name or a media type, and a length is a number of bytes.",
  },
  {
    section: "Events / Legacy delivery payload",
    question: "What is the value of messageExternalId?",
    answer: "null.",
    why: "The specification names no other system whose id it could be.",
  },
  {
    section: "Events / Transfer event payload",
    question: "Which employee does a transfer name if the call names none?",
    answer: "The lowest user id of the new business.",
    why: "The field is an integer, so someone must be named, and the same calls must give the same events.",
  },
  {
    section: "Events / Transfer event payload",
    question: "What is businessParticipationId?",
    answer: "The number of the transfer in its sandbox.",
    why: "It refers to a record that no endpoint shows.",
  },
  {
    section: "Errors",
    question: "What is the response to an unknown path, method, content encoding or host?",
    answer:
      "404; 405 with `Allow`; 415 for any encoding but gzip, deflate and br; 403 for a browser that uses a foreign host name.",
    why: "A client gets these while it is being set up, and does not handle them.",
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
    question: "Does locale replace the locale of an existing customer?",
    answer: "No.",
    why: "No response contains the locale, so a client cannot tell.",
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
    section: "Endpoints / Webhooks (REST)",
    question: "What does an event that subscribedEvents lists twice do?",
    answer: "It counts once.",
    why: "A webhook is either subscribed to an event or not.",
  },
  {
    section: "Endpoints / Webhooks (REST)",
    question: "What is sent of a header that extraHeaders repeat, or that every delivery has?",
    answer: "The values joined with commas (of `Host` the last), and the webhook's own `Content-Type`.",
    why: "HTTP gives repeated and joined headers the same meaning, and the specification sends extraHeaders on every delivery.",
  },
  {
    section: "Endpoints / Webhook operations (GraphQL)",
    question: "What is the flag of a delete that names no webhook?",
    answer: "false.",
    why: "Nothing was deleted.",
  },
  {
    section: "Limits",
    question:
      "What is the response to a body that is too large, and to a call that the simulator cannot handle or save?",
    answer: "413 beyond `limits.bodyBytes`; 503 with the reason and `Retry-After`.",
    why: "These limits are the simulator's, not the service's.",
  },
  {
    section: "Limits",
    question: "What does a rate limit count?",
    answer: "The calls of each token separately.",
    why: "The token is the only documented identity of a caller.",
  },
];

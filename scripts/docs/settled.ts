/** What the specification leaves open and no entry decides, because nobody could want another answer. */

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
    answer: "Those of the records: any text as a type, any name in upper case as a channel.",
    why: "The fixture says it for each customer and thread, so an entry would only repeat it.",
  },
  {
    section: "Resources and their fields / Customer thread",
    question: "Which other fields has a thread?",
    answer: "None that the API shows.",
    why: "A field that nobody documents has no name to decide about.",
  },
  {
    section: "Resources and their fields / Webhook",
    question: "How does a hookId of another organization answer?",
    answer: "Like an unknown one, whatever `ids.foreign` says.",
    why: "A hookId is unique within its organization only: in the caller's, the same hookId is free.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "How does a template of another organization answer?",
    answer: "As `templates.unknown` says.",
    why: "The templates of a thread are those of its organization: another one is no template of it.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "What becomes of the tokens and the places in escalation pools of a deleted user?",
    answer: "They go with the user; messages stay.",
    why: "A token is tied to a user and a pool lists users. A token left behind would answer `auth.invalid` all the same.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "Which pool does the refusal name, where the user is the last member of several?",
    answer: "That of the lowest business id.",
    why: "The documented text has room for one, each of them is right, and the same calls must give the same answers.",
  },
  {
    section: "Endpoints / Delete user by email",
    question: "Which refusal comes first for a user who is the last representative and the last of a pool?",
    answer: "That of the last representative.",
    why: "Both are right, an answer holds one, and the specification names this one first.",
  },
  {
    section: "Events / Gaps in event delivery",
    question: "Of which types are the UUID, the name and the content type of an attachment?",
    answer: "Strings.",
    why: "No other type of JSON holds a UUID, a name or a media type.",
  },
  {
    section: "Errors",
    question: "Is there a catalogue of error codes?",
    answer: "No answer has a code but those of GraphQL (`graphql.errors`).",
    why: "What other answers say is an entry each, code included: its value is a whole body.",
  },
  {
    section: "Versioning",
    question: "Which version scheme and deprecation policy are there?",
    answer: "No path, header or body carries a version; calls of the legacy endpoint get a contract warning.",
    why: "The specification shows paths without a version, and announces nothing.",
  },
  {
    section: "Authentication",
    question: "Which threads may a token's user access?",
    answer: "Those of the user's businesses, as both stand at the moment of the call.",
    why: "The specification ties threads to businesses and access to the user, and names no other tie between them.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "May who began a conversation use its thread after a transfer to another business?",
    answer: "Yes, as long as `widget.threadAccess` is `token`.",
    why: "Rule 3 gives them the thread, and says of no event that it takes it away.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "Among whose customers is the contact looked for?",
    answer: "Among those of the organization, whatever their businesses.",
    why: "A profile belongs to an organization and names no business. `widget.customerMatch` says how contacts are compared.",
  },
  {
    section: "Endpoints / Start a conversation from the widget route",
    question: "Which texts are a locale and a hookId?",
    answer: "Any as a locale; any that is not empty as a hookId.",
    why: "Both are strings without a stated form, and nothing is done with them but to keep and compare them.",
  },
  {
    section: "Endpoints / Send message to a customer thread",
    question: "Who sees a message that leaves internal out?",
    answer: "The customer: it counts as false.",
    why: "The endpoint is named for sending to the customer, and no default of a boolean is more usual.",
  },
  {
    section: "Endpoints / Edit organization webhook URL (legacy)",
    question: "What is a legacy webhook that is edited through the other endpoints?",
    answer: "A legacy webhook with other values: it keeps its payload and its single attempt.",
    why: "The specification calls those legacy that were set through the legacy endpoint, which an update does not undo.",
  },
  {
    section: "Endpoints / Webhooks (REST)",
    question: "In which order are lists?",
    answer: "In that of creation: first what a fixture has, as it has it.",
    why: "No order is stated, so no client may rely on one, and the same calls must give the same answers.",
  },
  {
    section: "Limits",
    question: "What does a rate limit count?",
    answer: "The calls of each token for itself.",
    why: "The token is all that the specification lets a call be known by.",
  },
];

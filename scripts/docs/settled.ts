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
];

/** Which calls are replies to a customer, and which of them are as asked: client, server and scenarios say it alike. */

/** What a reply is to be like, in the words of a scenario's `reply`; all that is given must hold. */
export interface ReplyMatch {
  /** The whole text. */
  readonly text?: string;
  /** A part of the text. */
  readonly contains?: string;
  /** A regular expression in RE2's syntax that is found in the text: one given as text in either case, a RegExp by its flags i, m and s. */
  readonly matches?: string | RegExp;
  /** The whole text is one of these. */
  readonly oneOf?: readonly string[];
  /** What the text must not hold. */
  readonly not?: string | readonly string[];
  /** The title or the contentSid of the template that is sent. */
  readonly template?: string;
  /** How long to wait, ms of real time. */
  readonly within?: number;
}

/** What is asked for of a template. */
interface KnownTemplate {
  readonly id: string;
  readonly title: string;
}

/** The calls by the system under test that put a message that the customer can see into a thread. */
export const visibleMessages = (threadId: string | number) =>
  ({
    by: "client",
    operation: "sendMessageToCustomerThread",
    succeeded: true,
    // The thread's id may have been sent as text or as the number that events carry.
    body: { customerThreadId: { $oneOf: [String(threadId), Number(threadId)] }, internal: { $not: true } },
  }) as const;

/** Those of them that are as asked. `unknownTemplate` first says whether there is its template. */
export function replyRequests(
  threadId: string | number,
  { template, ...asked }: Omit<ReplyMatch, "within">,
  templates: readonly KnownTemplate[],
) {
  const { body, ...call } = visibleMessages(threadId);
  const text = textCondition(asked);
  const contentSids = template === undefined ? [] : sidsOf(template, templates);
  return {
    ...call,
    body: {
      ...body,
      ...(text !== undefined && { text }),
      ...(contentSids.length > 0 && {
        contentSid: contentSids.length === 1 ? contentSids[0] : { $oneOf: contentSids },
      }),
    },
  };
}

/** What is wrong with the template of a reply: nothing where it is one of these. */
export function unknownTemplate(
  template: string | undefined,
  templates: readonly KnownTemplate[],
): string | undefined {
  if (template === undefined || sidsOf(template, templates).length > 0) return undefined;
  const known = templates.map(({ title }) => `"${title}"`).join(", ") || "none";
  return `there is no template "${template}": known are ${known}`;
}

const sidsOf = (template: string, templates: readonly KnownTemplate[]): string[] =>
  templates.filter(({ id, title }) => id === template || title === template).map(({ id }) => id);

function textCondition({ text, contains, matches, oneOf, not }: Omit<ReplyMatch, "template">): unknown {
  const allowed = text === undefined ? oneOf : (oneOf ?? [text]).filter((one) => one === text);
  const condition = {
    ...(allowed && { $oneOf: allowed }),
    ...(contains !== undefined && { $contains: contains }),
    ...(matches !== undefined && regexCondition(matches)),
    ...(not !== undefined && { $not: partCondition(not) }),
  };
  const parts = Object.keys(condition).length;
  if (parts === 0) return undefined;
  return parts === 1 && allowed?.length === 1 ? allowed[0] : condition;
}

function regexCondition(matches: string | RegExp): object {
  if (typeof matches === "string") return { $regex: matches, $flags: "i" };
  const flags = matches.flags.replace(/[^ims]/g, "");
  return { $regex: matches.source, ...(flags !== "" && { $flags: flags }) };
}

function partCondition(parts: string | readonly string[]): object {
  if (typeof parts === "string") return { $contains: parts };
  return { $oneOf: parts.map((part) => ({ $contains: part })) };
}

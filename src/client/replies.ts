import type { Condition, RequestMatch, RequestRecord, Template } from "./types.js";

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

/** A message that the system under test sent and the customer can see. */
export interface Reply {
  /** Null for a template. */
  readonly text: string | null;
  /** Null for free-form text. */
  readonly contentSid: string | null;
  /** The call that sent it. */
  readonly request: RequestRecord;
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

/** Those of them that are as asked. @throws TypeError for a template that there is none of */
export function replyRequests(
  threadId: string | number,
  match: ReplyMatch,
  templates: readonly Template[],
): RequestMatch {
  const { body, ...call } = visibleMessages(threadId);
  const text = textCondition(match);
  return {
    ...call,
    body: {
      ...body,
      ...(text !== undefined && { text }),
      ...(match.template !== undefined && { contentSid: contentSidOf(match.template, templates) }),
    },
  };
}

export function replyOf(request: RequestRecord): Reply {
  const { text = null, contentSid = null } = request.body as Partial<Reply>;
  return { text, contentSid, request };
}

function textCondition({ text, contains, matches, oneOf, not }: ReplyMatch): string | Condition | undefined {
  const allowed = text === undefined ? oneOf : (oneOf ?? [text]).filter((one) => one === text);
  const condition: Condition = {
    ...(allowed && { $oneOf: allowed }),
    ...(contains !== undefined && { $contains: contains }),
    ...(matches !== undefined && regexCondition(matches)),
    ...(not !== undefined && { $not: partCondition(not) }),
  };
  const parts = Object.keys(condition).length;
  if (parts === 0) return undefined;
  return parts === 1 && allowed?.length === 1 ? allowed[0] : condition;
}

function regexCondition(matches: string | RegExp): Condition {
  if (typeof matches === "string") return { $regex: matches, $flags: "i" };
  const flags = matches.flags.replace(/[^ims]/g, "");
  return { $regex: matches.source, ...(flags !== "" && { $flags: flags }) };
}

function partCondition(parts: string | readonly string[]): Condition {
  if (typeof parts === "string") return { $contains: parts };
  return { $oneOf: parts.map((part) => ({ $contains: part })) };
}

function contentSidOf(template: string, templates: readonly Template[]): string | Condition {
  const sids = templates.filter(({ id, title }) => id === template || title === template).map(({ id }) => id);
  const [sid, ...others] = sids;
  if (sid !== undefined) return others.length === 0 ? sid : { $oneOf: sids };
  const known = templates.map(({ title }) => `"${title}"`).join(", ");
  throw new TypeError(`there is no template "${template}": known are ${known || "none"}`);
}

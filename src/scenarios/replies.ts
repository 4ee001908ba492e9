/** The system under test's messages: waiting for the next one, and for none (steps `reply` and `silent`). */
import type { RequestRecord, Template } from "../client/types.js";
import type { Duration } from "../kernel/duration.js";
import { milliseconds } from "../kernel/duration.js";
import { linearRegex } from "../kernel/linear-regex.js";
import { either } from "../kernel/words.js";
import type { Utterance } from "./report.js";
import type { Run } from "./run.js";
import type { StepResult } from "./step.js";
import { StepFailure } from "./step.js";

/** What a reply is to be like. */
export interface ReplyExpectation {
  readonly thread?: string | number;
  readonly text?: string;
  readonly contains?: string;
  readonly matches?: string;
  readonly oneOf?: readonly string[];
  readonly not?: string | readonly string[];
  readonly template?: string;
  readonly within?: Duration;
}

interface Message {
  readonly text: string;
  readonly template: Template | undefined;
}

/** The calls by the client that put a visible message into a thread. */
const visibleMessages = (thread: string) => ({
  by: "client",
  operation: "sendMessageToCustomerThread",
  status: { $gt: 199, $lt: 300 },
  body: { customerThreadId: { $oneOf: [thread, Number(thread)] }, internal: { $not: true } },
});

/** The next visible message decides: one that is not as expected fails the step. */
export async function awaitReply(run: Run, expectation: ReplyExpectation): Promise<StepResult> {
  const { thread: named, within, ...expected } = expectation;
  const thread = run.threadId(named);
  const [request] = await run.ledger
    .take("requests", visibleMessages(thread), {
      within: run.within(within),
      what: `a visible message in thread ${thread}`,
    })
    .catch((error: unknown) => {
      if (error instanceof StepFailure) throw new StepFailure(error.message, { ...error.details, expected });
      throw error;
    });
  const latencyMs = run.sinceSpoken();
  const message = await messageOf(run, request);
  const said = utteranceOf(thread, message);
  const outcome = {
    status: request.status,
    body: request.body,
    response: request.response,
    text: message.text,
  };
  const wrong = disagreements(expected, message);
  if (wrong.length > 0) {
    throw new StepFailure(`the reply ${wrong.join(", and ")}`, {
      expected,
      seen: said.template === undefined ? said.text : { text: said.text, template: said.template },
      about: request.id,
      outcome,
      said,
    });
  }
  return { outcome, said, latencyMs };
}

export async function awaitSilence(run: Run, thread: string, time: Duration): Promise<StepResult> {
  const mark = await run.ledger.newest("requests");
  const request = await run.ledger.next("requests", visibleMessages(thread), mark, milliseconds(time));
  if (request === undefined) return { note: `silence for ${time}` };
  const said = utteranceOf(thread, await messageOf(run, request));
  throw new StepFailure("the system under test was not silent", {
    expected: `no visible message in thread ${thread} for ${time}`,
    seen: said.text,
    about: request.id,
    said,
  });
}

async function messageOf(run: Run, { body }: RequestRecord): Promise<Message> {
  const { text = "", contentSid } = body as { text?: string; contentSid?: string };
  if (contentSid === undefined) return { text, template: undefined };
  const template = await run.wire.call<Template>("GET", `/data/templates/${encodeURIComponent(contentSid)}`);
  return { text: template.text, template };
}

const utteranceOf = (thread: string, { text, template }: Message): Utterance => ({
  who: "client",
  thread,
  text,
  ...(template === undefined ? {} : { template: template.title }),
});

/** Each part of an expectation that a message does not meet, in words. */
function disagreements(
  { text, contains, matches, oneOf, not, template }: ReplyExpectation,
  message: Message,
): string[] {
  const wrong: string[] = [];
  const say = (words: string, holds: boolean) => void (holds || wrong.push(words));
  const quoted = (value: string) => JSON.stringify(value);
  if (text !== undefined) say(`should be ${quoted(text)}`, message.text === text);
  if (contains !== undefined) say(`should contain ${quoted(contains)}`, message.text.includes(contains));
  if (matches !== undefined) say(`should match /${matches}/i`, linearRegex(matches, "i").test(message.text));
  if (oneOf !== undefined) say(`should be ${either(oneOf.map(quoted))}`, oneOf.includes(message.text));
  for (const part of not === undefined ? [] : [not].flat())
    say(`should not contain ${quoted(part)}`, !message.text.includes(part));
  if (template !== undefined) {
    const { id, title } = message.template ?? {};
    say(`should be the template ${quoted(template)}`, id === template || title === template);
  }
  return wrong;
}

/** Fifteen programs that are wrong in one way each, five that are not, and the conversations in which that shows. */

/** A program, and one of `conversations`: `conversations.vitest.mjs` and `test_conversations.py` have tests of the same names. */
interface Bot {
  readonly program: string;
  readonly conversation: string;
}

interface Lie extends Bot {
  /** What the first line of a failure says. */
  readonly cause: RegExp;
  /** What it says in `run`, which starts the program itself, where that differs. */
  readonly ofRun?: RegExp;
  /** It replies as it should at first. */
  readonly replies?: true;
  /** It calls the sandbox `default`, and no test beside it should be taken for the one whose program has done so. */
  readonly apart?: true;
}

const LIES: readonly Lie[] = [
  {
    program: "answers-a-colleague",
    conversation: "colleague",
    replies: true,
    cause: /expected no visible message in thread 9001 for .*, but this arrived: "You said: I take over"/i,
  },
  {
    program: "answers-twice",
    conversation: "once",
    replies: true,
    cause: /expected no visible message in thread 9001 for .*, but this arrived: "You said: Hello"/i,
  },
  {
    program: "answers-on-another-thread",
    conversation: "once",
    cause: /your program wrote to Priya Nair \(9003\) instead/i,
  },
  {
    program: "uses-the-token-of-another-sandbox",
    conversation: "once",
    apart: true,
    cause:
      /your program used `acme-token` of sandbox default\. The key for this conversation is `\w+\.acme-token`/i,
  },
  {
    program: "uses-an-unknown-token",
    conversation: "once",
    apart: true,
    cause:
      /your program's call came to sandbox default with `no-such-token`, which is unknown: 401 Invalid API token\. The key for this conversation is `\w+\.acme-token`$/i,
    ofRun: /Your program's call was refused: 401 .* Unknown token `no-such-token`/,
  },
  {
    program: "accepts-a-forged-signature",
    conversation: "forged",
    cause: /expected no visible message in thread 9001 for .*, but this arrived: "You said: Forged"/i,
  },
  {
    program: "ends-at-the-start",
    conversation: "once",
    cause:
      /your program could not be reached at http:.*: connection refused: nothing is listening at the address/i,
    ofRun: /ends-at-the-start\.mjs exited before it was ready: exit code 1/,
  },
  {
    program: "ends-at-the-first-event",
    conversation: "once",
    cause:
      /your program did not respond at http:.*: the connection was closed.*; see what your program has printed/i,
    ofRun: /ends-at-the-first-event\.mjs exited before the run ended: exit code 1/,
  },
  {
    program: "listens-nowhere",
    conversation: "once",
    cause:
      /your program could not be reached at http:.*: connection refused: nothing is listening at the address/i,
    ofRun: /127\.0\.0\.1:\d+ to accept connections; last seen: connection refused/,
  },
  {
    program: "answers-with-an-error",
    conversation: "once",
    cause: /your program answered the webhook with 500: Cannot read properties of undefined/i,
  },
  {
    program: "never-calls",
    conversation: "once",
    cause: /the event was delivered \(200\), and no call has come since/i,
  },
  {
    program: "ignores-a-closed-window",
    conversation: "window",
    cause: /your program's call was refused: 400 The messaging window is closed: send a template/i,
  },
  {
    program: "sends-an-internal-message",
    conversation: "once",
    cause: /your program's message is internal: the customer does not see it/i,
  },
  {
    program: "calls-a-wrong-path",
    conversation: "once",
    cause: /your program's call was refused: 404 No such endpoint: POST \/api\/send-message\b/i,
  },
  {
    program: "holds-the-webhook-open",
    conversation: "once",
    cause: /your program has not answered the webhook .*; timeout at 10 s/i,
  },
];

const SOUND: readonly Bot[] = [
  { program: "at-once", conversation: "once" },
  { program: "at-once", conversation: "colleague" },
  { program: "at-once", conversation: "window" },
  { program: "at-once", conversation: "forged" },
  { program: "after-a-second", conversation: "once" },
  { program: "before-the-webhook-has-its-answer", conversation: "once" },
  { program: "one-reply-to-two-messages", conversation: "two-messages" },
  { program: "retries-after", conversation: "rate-limited" },
];

/** A bot as the runners are given it: `rounds` times, each in a sandbox of its own. */
export interface Case extends Bot {
  readonly name: string;
  readonly rounds: number;
  /** How long a reply may take, and how long silence is watched, ms. */
  readonly within: number;
  readonly silent: number;
  readonly apart?: true;
}

/** What is wrong shows soon, or ends the silence. */
export const WRONG: readonly (Case & Pick<Lie, "cause" | "ofRun">)[] = LIES.map((lie) => ({
  ...lie,
  name: lie.program,
  program: `wrong/${lie.program}`,
  rounds: 1,
  within: lie.replies ? 20_000 : 3_000,
  silent: 20_000,
}));

/** A sound bot may take its time on a busy machine. */
export const sound = (rounds: number): Case[] =>
  SOUND.map((bot) => ({
    ...bot,
    name: `${bot.program}: ${bot.conversation}`,
    program: `sound/${bot.program}`,
    rounds,
    within: 20_000,
    silent: 200,
  }));

/** The step that calls the simulated API. */
import { given } from "../../kernel/given.js";
import { valueAt } from "../../kernel/json.js";
import { differences } from "../../kernel/matching.js";
import { parsePath } from "../../kernel/path.js";
import type { Problem } from "../../kernel/problems.js";
import { problemAt, under } from "../../kernel/problems.js";
import { anyOf, integer, nullable, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { whyRefusedBelowRoot } from "../endless.js";
import { absentFieldProblems } from "../near-misses.js";
import type { ApiAnswer } from "../step.js";
import { StepFailure, step } from "../step.js";
import { headersSchema, patternProblemsIn } from "./parts.js";

/** What calls to these paths may make. */
const MADE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\$\{/, ["*"]],
  [/widget/, ["threads", "customers", "messages"]],
  [/hook|graphql/, ["webhooks"]],
  [/send-message/, ["messages"]],
];

const CALL = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/;

const parts = {
  token: optional(nullable(string(), { description: "a token of the fixture; null sends none" })),
  headers: optional(headersSchema),
  body: optional(unknown({ description: "sent as JSON; a text is sent as it stands" })),
};

const status = nullable(integer({ minimum: 100, maximum: 599 }), {
  description: "null: the connection is closed without an answer",
});

export const request = step({
  key: "request",
  effect: "calls",
  label: ({ method, path }) => `${method} ${path}`,
  description:
    "calls the simulated API; entered into the journal as a call by the scenario. Without `expect` and `id` it fails where the answer is 400, 404 or 405",
  short: {
    schema: string({ pattern: CALL.source, "x-form": "METHOD /path" }),
    description: "METHOD /path",
    long: (call) => {
      const [, method = "", path = ""] = CALL.exec(call) ?? [];
      return { method: method.toUpperCase(), path };
    },
  },
  long: object({
    method: string({ pattern: "^[A-Za-z]+$", "x-form": "an HTTP method" }),
    path: string({ pattern: "^/", "x-form": "a path that begins with /" }),
    ...parts,
  }),
  siblingKeys: {
    ...parts,
    expect: optional(
      anyOf([
        integer({ minimum: 100, maximum: 599 }),
        object({
          status: optional(status),
          headers: optional(record(unknown(), { description: "names in either case, each with a MATCH" })),
          body: optional(unknown({ description: "MATCH" })),
        }),
      ]),
    ),
    capture: optional(
      record(string({ minLength: 1 }), {
        description: "names for parts of the outcome: body.items[0].id, status, headers.x-sim-request",
        propertyNames: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_-]*$", "x-form": "a plain name" },
      }),
    ),
  },
  problems: ({ method, path, body, token, expect }, known) => [
    ...(token === "" ? [problemAt(["token"], "must not be empty: null sends none")] : []),
    ...refusalOf(path),
    ...(/^(GET|HEAD)$/i.test(method) && body !== undefined
      ? [problemAt(["body"], `cannot be sent with ${method} ${path}`)]
      : []),
    ...(typeof expect === "object"
      ? [
          ...patternProblemsIn(expect, "body", "headers").map((found) => under(["expect"], found)),
          ...absentFieldProblems(known.names.requestFields, expect.body, ["expect", "body"]),
        ]
      : []),
  ],
  references: ({ token, expect }) => {
    const status = typeof expect === "object" ? expect.status : expect;
    // A call that is to fail may use a token that nobody has.
    const isToFail = status === null || (status !== undefined && status >= 300);
    return isToFail ? [] : [{ collection: "tokens", name: token, at: ["token"] }];
  },
  creates: ({ method, path }) =>
    /^(GET|HEAD)$/i.test(method) ? [] : (MADE.find(([route]) => route.test(path))?.[1] ?? []),
  run: async (context, { expect, capture = {}, ...call }, { name, id }) => {
    const label = `${call.method} ${call.path}`;
    const why = whyRefusedBelowRoot(call.path);
    if (why !== undefined) throw new StepFailure(`${label}: the path ${why}`);
    const outcome = await context.callApi(call);
    const captured = Object.entries(capture).map(([as, path]) => ({
      as,
      path,
      value: valueAt(outcome, parsePath(path)),
    }));
    for (const { as, value } of captured) if (value !== undefined) context.keep(as, value);
    checkAnswer(outcome, typeof expect === "number" ? { status: expect } : expect, label, id !== undefined);
    const missing = captured.find(({ value }) => value === undefined);
    if (missing !== undefined) {
      const { as, path } = missing;
      const details = { expected: path, seen: outcome };
      throw new StepFailure(`capture ${as}: there is no ${path} in the answer`, details);
    }
    const status = outcome.status ?? "connection closed";
    return { outcome: { ...outcome }, note: name === label ? `→ ${status}` : `${label} → ${status}` };
  },
});

function refusalOf(path: string): Problem[] {
  const why = whyRefusedBelowRoot(path);
  return why === undefined ? [] : [problemAt(["path"], why)];
}

interface ExpectedAnswer {
  readonly status?: number | null;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Answers that say that the call itself is wrong: its body, its path, its method. */
const MISTAKES: readonly (number | null)[] = [400, 404, 405];

/**
 * Without an expectation any answer will do that does not say that the call is wrong; and that too where the step has
 * an `id`, by which others may look at it.
 *
 * @throws StepFailure when the answer is not as expected
 */
function checkAnswer(
  answer: ApiAnswer,
  expected: ExpectedAnswer | undefined,
  call: string,
  isLookedAt: boolean,
): void {
  const { status, headers, body } = answer;
  if (expected === undefined) {
    if (MISTAKES.includes(status) && !isLookedAt)
      throw new StepFailure(`${call} answered ${status}, and no \`expect\` says that it should`, {
        seen: { status, body },
        about: headers["x-sim-request"],
        outcome: { status, headers, body },
      });
    if (status !== null) return;
    throw new StepFailure(`${call} got no answer: the connection was closed`, { seen: { status } });
  }
  const lowered = Object.entries(expected.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const pattern = given({
    status: expected.status,
    headers: expected.headers && Object.fromEntries(lowered),
    body: expected.body,
  });
  const differing = differences(pattern, answer);
  if (differing.length === 0) return;
  const got = status === null ? "the connection was closed" : `it answered ${status}`;
  const id = headers["x-sim-request"];
  throw new StepFailure(`${call} did not answer as expected: ${got}`, {
    expected,
    seen: given({ status, headers: expected.headers && headers, body }),
    nearMisses: [{ id: id ?? "", summary: `${call} → ${status ?? "no answer"}`, differences: differing }],
    about: id,
    outcome: { status, headers, body },
  });
}

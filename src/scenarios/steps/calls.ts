/** Steps that call the simulated API and the control API. */

import { METHODS } from "node:http";
import type { Method } from "../../client/http.js";
import { refusalOf } from "../../client/log-entries.js";
import { parsePath, valueAt } from "../../kernel/json.js";
import { masked } from "../../kernel/masking.js";
import { differences } from "../../kernel/matching.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import { problemAt, under } from "../../kernel/problems.js";
import {
  anyOf,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../../kernel/schema.js";
import { step } from "../declare.js";
import type { ApiAnswer } from "../http.js";
import { StepFailure } from "../report.js";
import { fieldProblems, headersSchema, patternProblemsIn } from "./parts.js";

const OWN_API = /^\/+__sim(?=\/)/;
const OF_SANDBOX = /^\/+sandboxes\/+[^/]*(?=\/)/;

/** Why a step must not call a path of the control API, if it must not. */
function whyRefused(path: string): string | undefined {
  const [route = ""] = path.replace(OF_SANDBOX, "").split(/[?#]/, 1);
  const name = route.replace(/^\/+|\/+$/g, "");
  if (name === "stream") return "cannot be /stream: its answer does not end";
  if (name === "scenarios/run") return "cannot be /scenarios/run: a scenario cannot run another";
  return undefined;
}

/** The same for a path of the simulated API that leads to the control API. */
function whyRefusedBelowRoot(path: string): string | undefined {
  return OWN_API.test(path) ? whyRefused(path.replace(OWN_API, "")) : undefined;
}

const CALL = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/;

const parts = {
  token: optional(nullable(string(), { description: "a token of the fixture; null sends none" })),
  headers: optional(headersSchema),
  body: optional(unknown({ description: "sent as JSON; text is sent verbatim" })),
};

const status = nullable(integer({ minimum: 100, maximum: 599 }), {
  description: "null: the connection is closed without an answer",
});

export const request = step({
  key: "request",
  effect: "calls",
  label: ({ method, path }) => `${method} ${path}`,
  description:
    "calls the simulated API; the journal records it as `by: scenario`. Without `expect` and `id` it fails on 400, 404 and 405",
  short: {
    schema: string({ pattern: CALL.source, "x-form": "METHOD /path", description: "METHOD /path" }),
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
          headers: optional(
            record(unknown(), { description: "names are case-insensitive; each value is a MATCH" }),
          ),
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
    ...pathProblems(whyRefusedBelowRoot(path)),
    ...(METHODS.includes(method.toUpperCase())
      ? []
      : [problemAt(["method"], `must be an HTTP method such as GET or POST, but is "${method}"`)]),
    ...(/^(GET|HEAD)$/i.test(method) && body !== undefined
      ? [problemAt(["body"], `cannot be sent with ${method} ${path}`)]
      : []),
    ...(typeof expect === "object"
      ? [
          ...patternProblemsIn(expect, "body", "headers").map((found) => under(["expect"], found)),
          ...fieldProblems(known.names.requestFields, expect.body, ["expect", "body"], "absences"),
        ]
      : []),
  ],
  references: ({ token, expect }) => {
    const status = typeof expect === "object" ? expect.status : expect;
    // A call that is expected to fail may use an unknown token.
    const isToFail = status === null || (status !== undefined && status >= 300);
    return isToFail ? [] : [{ collection: "tokens", name: token, at: ["token"] }];
  },
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
    for (const { as, value } of captured) if (value !== undefined) context.values.set(as, value);
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

const pathProblems = (why: string | undefined): Problem[] =>
  why === undefined ? [] : [problemAt(["path"], why)];

interface ExpectedAnswer {
  readonly status?: number | null;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Answers that reject the call itself: its body, its path, its method. */
const MISTAKES: readonly (number | null)[] = [400, 404, 405];

/**
 * Without an expectation any answer passes that does not reject the call itself. Even that passes if the step has an `id`,
 * through which later steps may check it.
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
      throw new StepFailure(`${call} answered ${status}, which no \`expect\` allows`, {
        seen: { status, body },
        about: headers["x-sim-request"],
        outcome: { status, headers, body },
      });
    if (status !== null) return;
    throw new StepFailure(`${call} got no answer: the connection was closed`, { seen: { status } });
  }
  const lowered = Object.entries(expected.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const pattern = omitUndefined({
    status: expected.status,
    headers: expected.headers && Object.fromEntries(lowered),
    body: expected.body,
  });
  const differing = differences(pattern, answer);
  if (differing.length === 0) return;
  const reason = (status ?? 0) >= 400 ? refusalOf({ response: masked(body) }) : "";
  const answered = `it answered ${status}${reason === "" ? "" : ` (${reason})`}`;
  const got = status === null ? "the connection was closed" : answered;
  const id = headers["x-sim-request"];
  throw new StepFailure(`${call} did not answer as expected: ${got}`, {
    expected,
    seen: omitUndefined({ status, headers: expected.headers && headers, body }),
    nearMisses: [{ id: id ?? "", summary: `${call} → ${status ?? "no answer"}`, differences: differing }],
    about: id,
    outcome: { status, headers, body },
  });
}

const BELOW_SIM = "METHOD /path, below /__sim";
const CONTROL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const CONTROL_CALL = /^\s*(GET|POST|PUT|PATCH|DELETE)\s+(\/\S*)\s*$/;
const body = optional(unknown({ description: "sent as JSON" }));

export const control = step({
  key: "control",
  effect: "controls",
  notUnderLoad: "may change what all customers share",
  description: "calls the control API of the sandbox, for anything that no other step does",
  short: {
    schema: string({ pattern: CONTROL_CALL.source, "x-form": BELOW_SIM, description: BELOW_SIM }),
    long: (call) => {
      const [, method = "GET", path = ""] = CONTROL_CALL.exec(call) ?? [];
      return { method: method as Method, path };
    },
  },
  long: object({
    method: oneOf(CONTROL_METHODS),
    path: string({ pattern: "^/", "x-form": "a path below /__sim that begins with /" }),
    body,
  }),
  siblingKeys: { body },
  problems: ({ path }) => pathProblems(whyControlRefused(path)),
  run: async (context, { method, path, body: sent }) => {
    const why = whyControlRefused(path);
    if (why !== undefined) throw new StepFailure(`${method} ${path}: the path ${why}`);
    const outcome = await context.control(method, path, sent);
    await context.own?.readClock();
    return { outcome, note: `${method} ${path} → ${outcome.status}` };
  },
});

const whyControlRefused = (path: string): string | undefined =>
  /^\/reset\b/.test(path) ? "cannot be /reset: use the step `reset: true`" : whyRefused(path);

/** Steps that call the simulated API and the control API. */

import type { Method } from "../../client/http.js";
import { refusalOf } from "../../client/log-entries.js";
import { parsePath, valueAt } from "../../kernel/json.js";
import { masked } from "../../kernel/masking.js";
import { differences } from "../../kernel/matching.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import { problemAt, under } from "../../kernel/problems.js";
import type { Infer } from "../../kernel/schema.js";
import {
  anyOf,
  integer,
  nothing,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../../kernel/schema.js";
import type { ApiAnswer } from "../http.js";
import { StepFailure } from "../report.js";
import type { StepKind } from "../step.js";
import { ANY, step } from "../step.js";
import { fieldProblems, patternProblemsIn } from "./parts.js";

/** Why a step must not call a path, if it must not. */
const whyNoRequest = (path: string): string | undefined =>
  /^\/+__sim\b/.test(path) ? "belongs to the control API: use the step `control`" : undefined;
const whyNoControl = (path: string): string | undefined =>
  /^\/+(?:reset|stream|scenarios\/+run)\/*(?:[?#]|$)/.test(path)
    ? "cannot be called by a scenario; for a reset there is the step `reset: true`"
    : undefined;

/** The collections in which calls to these paths of the simulated API may create records. */
const CREATED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\$\{/, [ANY]],
  [/widget/, ["threads", "customers", "messages"]],
  [/hook|graphql/, ["webhooks"]],
  [/send-message/, ["messages"]],
];

/** The same for a path of the control API. */
function createdByControl(path: string): readonly string[] {
  const [, collection] = /^\/data\/([^/?$]+)/.exec(path) ?? [];
  if (collection !== undefined) return [collection];
  if (path.startsWith("/threads/")) return ["messages"];
  return /^\/(data|state|snapshots)\b/.test(path) ? [ANY] : [];
}

/** The short form of a call. */
function callForm(methods: string, form: string) {
  const call = new RegExp(`^\\s*(${methods})\\s+(\\/\\S*)\\s*$`);
  return {
    schema: string({ pattern: call.source, "x-form": form, description: form }),
    long: (text: string) => {
      const [, method = "", path = ""] = call.exec(text) ?? [];
      return { method: method.toUpperCase() as Method, path };
    },
  };
}

const parts = {
  token: optional(nullable(string(), { description: "a token of the fixture; null sends none" })),
  headers: optional(
    record(anyOf([string(), nothing()]), {
      description: "override `token` and `Content-Type`; null removes one",
    }),
  ),
  body: optional(unknown({ description: "sent as JSON; text is sent verbatim" })),
};

const status = nullable(integer({ minimum: 100, maximum: 599 }), {
  description: "null: the connection is closed without a response",
});

const answerSchema = object({
  status: optional(status),
  headers: optional(record(unknown(), { description: "names are case-insensitive; each value is a MATCH" })),
  body: optional(unknown({ description: "MATCH" })),
});

const pathProblems = (why: string | undefined): Problem[] =>
  why === undefined ? [] : [problemAt(["path"], why)];

/**
 * Without an expectation, an answer below 400 passes; any answer does if the step has an `id`, through which later steps may check it.
 *
 * @throws StepFailure when the answer is not as expected
 */
function checkAnswer(
  answer: ApiAnswer,
  expected: Infer<typeof answerSchema> | undefined,
  call: string,
  isLookedAt: boolean,
): void {
  const { status, headers, body } = answer;
  if (expected === undefined) {
    if (status !== null && status >= 400 && !isLookedAt)
      throw new StepFailure(`${call} answered ${status}, which no \`expect\` allows`, {
        seen: { status, body },
        outcome: { status, headers, body },
      });
    if (status !== null) return;
    throw new StepFailure(`${call} got no response: the connection was closed`, { seen: { status } });
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
  throw new StepFailure(`${call} did not respond as expected: ${got}`, {
    expected,
    seen: omitUndefined({ status, headers: expected.headers && headers, body }),
    nearMisses: [{ id: id ?? "", summary: `${call} → ${status ?? "no response"}`, differences: differing }],
    outcome: { status, headers, body },
  });
}

const CONTROL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const body = optional(unknown({ description: "sent as JSON" }));

export const CALLS: readonly StepKind[] = [
  step({
    key: "request",
    effect: "calls",
    label: ({ method, path }) => `${method} ${path}`,
    description:
      "calls the simulated API; the journal records it as `by: scenario`. Without `expect` and `id` it expects a status below 400",
    short: callForm("[A-Za-z]+", "METHOD /path"),
    long: object({
      method: string({ pattern: "^[A-Za-z]+$", "x-form": "an HTTP method" }),
      path: string({ pattern: "^/", "x-form": "a path that begins with /" }),
      ...parts,
    }),
    beside: {
      ...parts,
      expect: optional(anyOf([integer({ minimum: 100, maximum: 599 }), answerSchema])),
      capture: optional(
        record(string({ minLength: 1 }), {
          description: "names for parts of the response: body.items[0].id, status, headers.x-sim-request",
          propertyNames: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_-]*$", "x-form": "a plain name" },
        }),
      ),
    },
    problems: ({ path, expect }, known) => [
      ...pathProblems(whyNoRequest(path)),
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
    creates: ({ method, path }) =>
      /^(GET|HEAD)$/i.test(method) ? [] : (CREATED.find(([route]) => route.test(path))?.[1] ?? []),
    run: async (run, { expect, capture = {}, ...call }, { name, id }) => {
      const label = `${call.method} ${call.path}`;
      const why = whyNoRequest(call.path);
      if (why !== undefined) throw new StepFailure(`${label}: the path ${why}`);
      const outcome = await run.callApi(call);
      const missing = Object.entries(capture).filter(([as, path]) => {
        const value = valueAt(outcome, parsePath(path));
        if (value !== undefined) run.values.set(as, value);
        return value === undefined;
      });
      checkAnswer(outcome, typeof expect === "number" ? { status: expect } : expect, label, id !== undefined);
      for (const [as, path] of missing)
        throw new StepFailure(`capture ${as}: there is no ${path} in the answer`, {
          expected: path,
          seen: outcome,
        });
      const status = outcome.status ?? "connection closed";
      return { outcome: { ...outcome }, note: name === label ? `→ ${status}` : `${label} → ${status}` };
    },
  }),
  step({
    key: "control",
    effect: "controls",
    description: "calls the control API of the sandbox, for anything that no other step covers",
    short: callForm(CONTROL_METHODS.join("|"), "METHOD /path, below /__sim"),
    long: object({
      method: oneOf(CONTROL_METHODS),
      path: string({ pattern: "^/", "x-form": "a path below /__sim that begins with /" }),
      body,
    }),
    beside: { body },
    problems: ({ path }) => pathProblems(whyNoControl(path)),
    creates: ({ method, path }) => (method === "GET" || method === "DELETE" ? [] : createdByControl(path)),
    run: async (run, { method, path, body: sent }) => {
      const why = whyNoControl(path);
      if (why !== undefined) throw new StepFailure(`${method} ${path}: the path ${why}`);
      const outcome = await run.control(method, path, sent);
      await run.readClock();
      return { outcome, note: `${method} ${path} → ${outcome.status}` };
    },
  }),
];

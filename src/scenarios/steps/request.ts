/** The step that calls the simulated API. */
import { problemAt } from "../../kernel/problems.js";
import { anyOf, integer, nullable, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { callApi, captured, checkAnswer } from "../calls.js";
import { step } from "../step.js";
import { headersSchema, patternsAt } from "./parts.js";

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
  words: "calls the simulated API; entered into the journal as a call by the scenario",
  short: {
    schema: string({ pattern: CALL.source, "x-form": "METHOD /path" }),
    words: "METHOD /path",
    long: (call: string) => {
      const [, method = "", path = ""] = CALL.exec(call) ?? [];
      return { method: method.toUpperCase(), path };
    },
  },
  long: object({
    method: string({ pattern: "^[A-Za-z]+$", "x-form": "an HTTP method" }),
    path: string({ pattern: "^/", "x-form": "a path that begins with /" }),
    ...parts,
  }),
  beside: {
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
  problems: ({ method, path, body, token, expect }) => [
    ...(token === "" ? [problemAt(["token"], "must not be empty: null sends none")] : []),
    ...(/^(GET|HEAD)$/i.test(method) && body !== undefined
      ? [problemAt(["body"], `cannot be sent with ${method} ${path}`)]
      : []),
    ...(typeof expect === "object"
      ? patternsAt(expect, "body", "headers").map((found) => ({ ...found, path: `expect.${found.path}` }))
      : []),
  ],
  run: async (run, { expect, capture = {}, ...call }, { name }) => {
    const answer = await callApi(run, call);
    const outcome = { status: answer.status, headers: answer.headers, body: answer.body };
    checkAnswer(
      answer,
      typeof expect === "number" ? { status: expect } : expect,
      `${call.method} ${call.path}`,
    );
    for (const [as, path] of Object.entries(capture)) run.keep(as, captured(outcome, as, path));
    const label = `${call.method} ${call.path}`;
    const status = answer.status ?? "connection closed";
    return { outcome, note: name === label ? `→ ${status}` : `${label} → ${status}` };
  },
});

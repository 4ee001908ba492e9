/** The step for what the control API can do and no other step says. */
import type { Method } from "../../client/http.js";
import { problemAt } from "../../kernel/problems.js";
import { object, oneOf, optional, string, unknown } from "../../kernel/schema.js";
import { whyRefused } from "../endless.js";
import { ANY } from "../references.js";
import { StepFailure, step } from "../step.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const CALL = /^\s*(GET|POST|PUT|PATCH|DELETE)\s+(\/\S*)\s*$/;
const body = optional(unknown({ description: "sent as JSON" }));

export const control = step({
  key: "control",
  effect: "controls",
  notUnderLoad: "may change what all customers share",
  description: "a call to the control API of the sandbox, for what no other step does",
  short: {
    schema: string({ pattern: CALL.source, "x-form": "METHOD /path, below /__sim" }),
    description: "METHOD /path, below /__sim",
    long: (call) => {
      const [, method = "GET", path = ""] = CALL.exec(call) ?? [];
      return { method: method as Method, path };
    },
  },
  long: object({
    method: oneOf(METHODS),
    path: string({ pattern: "^/", "x-form": "a path below /__sim that begins with /" }),
    body,
  }),
  siblingKeys: { body },
  problems: ({ path }) => {
    const why = refusalOf(path);
    return why === undefined ? [] : [problemAt(["path"], why)];
  },
  creates: ({ method, path }) => {
    if (method === "GET" || method === "DELETE") return [];
    const [, collection] = /^\/data\/([^/?$]+)/.exec(path) ?? [];
    if (collection !== undefined) return [collection];
    return path.startsWith("/threads/")
      ? ["messages"]
      : /^\/(data|state|snapshots)\b/.test(path)
        ? [ANY]
        : [];
  },
  run: async (context, { method, path, body: sent }) => {
    const why = refusalOf(path);
    if (why !== undefined) throw new StepFailure(`${method} ${path}: the path ${why}`);
    const outcome = await context.control(method, path, sent);
    await context.readClock();
    return { outcome, note: `${method} ${path} → ${outcome.status}` };
  },
});

const refusalOf = (path: string): string | undefined =>
  /^\/reset\b/.test(path) ? "cannot be /reset: use the step `reset: true`" : whyRefused(path);

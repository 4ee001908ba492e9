/**
 * The order of checks, the same for every operation: token, permission, rate, size, content type, JSON, schema. What comes
 * after that (existence, access, rules) is up to the domain.
 */

import { encodingOf, isDecoded } from "../kernel/http/body.js";
import { countsOf } from "../kernel/objects.js";
import { object } from "../kernel/schema.js";
import { milliseconds } from "../kernel/units.js";
import { andMore } from "../kernel/words.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import { InvalidInput, MISSING, Refusal } from "../service/domain/refusals.js";
import type { CheckedCall, IncomingCall, Operation } from "./operation.js";
import type { Checked, RequestValidator } from "./validation/validator.js";

/**
 * Takes a call of a known operation through all checks.
 * @throws Refusal, InvalidInput
 */
export function checked(call: IncomingCall, validator: RequestValidator): CheckedCall {
  const { owner, entry, operation, token, values } = call;
  const { run } = owner;
  const caller = callerOf(owner, token, values);
  checkPermission(operation, caller, values);
  checkRate(owner, caller, values);
  if (hasOtherEnd(operation, entry.path)) {
    const { path } = operation;
    const message = `the documented path is ${path}, but ${entry.path} differs in its trailing slash`;
    warn(call, "trailing-slash", message);
  }
  const raw = checkBody(call);
  const parameters = queryFor(call);
  const query = operation.query && validator.check(operation.query, parameters, values, TAKES_UNKNOWN);
  if (query !== undefined) pass(call, [query]);
  const hasStrayBody = operation.body === undefined && call.body !== "none";
  const noFields = hasStrayBody && values["body.unknownFields"] === "reject" ? NO_FIELDS : undefined;
  const schema = operation.body ?? noFields;
  const nullFields = operation.failure === undefined ? "body.nullFields" : "graphql.nullFields";
  const body = schema && validator.check(schema, raw, values, { nullFields });
  const part = operation.refine?.(raw);
  const refined = part && validator.check(part.schema, part.value, values, { nullFields, at: part.at });
  if (body !== undefined) pass(call, refined === undefined ? [body] : [body, refined]);
  if (operation.deprecated !== undefined) run.logs.warn(operation.deprecated, entry);
  return {
    params: call.params,
    query: query?.value,
    body: body?.value,
    caller,
    view: run.view(values),
    run: (rule, input) => run.transact({ id: entry.id, entry, behaviour: values }, rule, input),
  };
}

/**
 * The caller (specification: "Authentication").
 * @param text the `token` header; undefined if there was none
 * @throws Refusal `auth.missing`, `auth.invalid`
 */
function callerOf(
  { run, token }: TokenOwner,
  text: string | undefined,
  { "tokens.lifetime": lifetime }: BehaviourValues,
): Caller {
  if (text === undefined || text === "") throw new Refusal("auth.missing");
  const record = token === null ? undefined : run.world.get("tokens", token);
  const user = record && run.world.get("users", record.userId);
  if (record === undefined || user === undefined) throw new Refusal("auth.invalid");
  if (lifetime !== null && (record.issuedAt ?? run.began) + milliseconds(lifetime) <= run.clock.now())
    throw new Refusal("auth.invalid");
  return { token: record, user, organizationId: user.organizationId };
}

/** @throws Refusal if the token lacks a permission that the operation, or `permissions.required` for it, requires */
function checkPermission(
  { id, permission }: Operation,
  { token }: Caller,
  { "permissions.required": required }: BehaviourValues,
): void {
  if (permission !== undefined && !token.permissions.includes(permission.name))
    throw new Refusal(permission.refusal, { permission: permission.name });
  const name = Object.hasOwn(required, id) ? required[id] : undefined;
  if (name !== undefined && !token.permissions.includes(name))
    throw new Refusal("permissions.requiredError", { permission: name });
}

/** @throws Refusal `limits.rateError` with the seconds until the next call is allowed */
function checkRate({ run }: TokenOwner, { token }: Caller, { "limits.rate": limit }: BehaviourValues): void {
  if (limit === null) return;
  const { requests, per } = limit;
  const waitMs = run.rates.take(token.id, run.clock.now(), { requests, per: milliseconds(per) });
  if (waitMs > 0) throw new Refusal("limits.rateError", { retryAfter: Math.ceil(waitMs / 1000) });
}

/**
 * Checks the size, then the declared headers, then whether the body is JSON.
 * @returns the body's value; a call without a body counts as an empty object
 * @throws Refusal `limits.bodyError`, `http.unknownEncoding`; InvalidInput
 */
function checkBody(call: IncomingCall): unknown {
  const { body, values, operation, headers } = call;
  const { method, path } = operation;
  if (body === "too large")
    throw new Refusal("limits.bodyError", { limit: values["limits.bodyBytes"] }, "limits.bodyBytes");
  const encoding = body === "none" ? undefined : encodingOf(headers);
  if (encoding !== undefined) {
    if (!isDecoded(encoding)) throw new Refusal("http.unknownEncoding", { encoding });
    const header = `Content-Encoding: ${encoding}`;
    warn(call, "encoded-body", `a body with the header ${header}, which the specification does not mention`);
  }
  const declared = mediaTypeOf(headers["content-type"]);
  if (declared !== JSON_MEDIA_TYPE) {
    const key = method === "GET" ? "headers.contentTypeOnGet" : "headers.contentTypeOnEmptyPost";
    if (body !== "none" || values[key] === "require") {
      const wrong = `must be equal to "application/json", but is equal to "${declared}"`;
      const problem = { property: "@.content-type", message: declared === undefined ? MISSING : wrong };
      throw new InvalidInput([], body === "none" ? key : undefined, [problem]);
    }
    const message = `a ${method} without the header Content-Type: application/json, which the specification requires`;
    warn(call, "no-content-type", message, "Authentication");
  }
  if (operation.body === undefined && body !== "none")
    warn(call, "unexpected-body", `${method} ${path} has no body in the specification: the body is ignored`);
  if (body === "none") return {};
  if (body.problem !== undefined) throw new InvalidInput([{ property: "@", message: body.problem }]);
  return body.value;
}

const JSON_MEDIA_TYPE = "application/json";

const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType === JSON_MEDIA_TYPE ? contentType : contentType?.split(";", 1)[0]?.trim().toLowerCase();

/** Warns of what passes although the specification does not allow it. */
const warn = (
  { owner: { run }, entry, operation }: IncomingCall,
  code: string,
  message: string,
  section = operation.section,
): void => run.logs.warn({ code, message, section }, entry);

/**
 * The query parameters; `query.repeated` decides what a repeated one means.
 * @throws InvalidInput naming the operation's repeated parameters, if the value is `reject`
 */
function queryFor(call: IncomingCall): Readonly<Record<string, string>> {
  const { operation, values } = call;
  const { rawQuery } = call.entry;
  if (rawQuery === "") return {};
  const { query } = call.entry;
  if (!rawQuery.includes("&")) return query;
  const given = [...new URLSearchParams(rawQuery)];
  const counts = countsOf(given.map(([name]) => name));
  const repeated = [...counts].flatMap(([name, count]) => (count > 1 ? [name] : []));
  if (repeated.length === 0) return query;
  const { "query.repeated": rule } = values;
  const known = repeated.filter((name) => Object.hasOwn(operation.query?.properties ?? {}, name));
  if (rule === "reject" && known.length > 0) {
    const problems = known.map((name) => ({ property: `@.${name}`, message: "is given more than once" }));
    throw new InvalidInput(problems, "query.repeated");
  }
  const used = rule === "first" ? "first" : "last";
  for (const name of repeated) {
    const message = `the query parameter ${name} is given more than once: the ${used} counts`;
    warn(call, "doubled-parameter", message);
  }
  return used === "first" ? Object.fromEntries(given.reverse()) : query;
}

/** Whether a path differs from the operation's documented one by a trailing slash. */
export const hasOtherEnd = ({ path: documented }: Operation, path: string): boolean =>
  path.endsWith("/") !== documented.endsWith("/");

/** The body of an operation that documents none, where unknown fields are refused. */
const NO_FIELDS = object({});
const TAKES_UNKNOWN = { takesUnknown: true };

/**
 * Passes on what was checked without a problem; what passes although it is undocumented becomes a warning.
 * @throws InvalidInput with the problems of all parts
 */
function pass(call: IncomingCall, parts: readonly Checked[]): void {
  if (parts.some(({ problems }) => problems.length > 0)) {
    const decidedBy = parts.find((part) => part.decidedBy !== undefined)?.decidedBy;
    throw new InvalidInput(
      parts.flatMap(({ problems }) => problems),
      decidedBy,
    );
  }
  for (const { passed, morePassed } of parts) {
    for (const [code, message] of PASSED)
      for (const one of passed) if (one.code === code) warn(call, code, `${one.property} ${message}`);
    if (morePassed > 0) warn(call, "more-warnings", andMore(morePassed));
  }
}

/** The warnings about what was let through, in their order. */
const PASSED = [
  ["unknown-field", "is not a field of this request"],
  ["number-id", "is a number where the specification says string"],
  ["null-field", "is null, which the specification does not allow: it counts as omitted"],
] as const;

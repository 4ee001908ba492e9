/** The checks between a known operation and its schemas (contract section 3): permission, rate, size, headers, JSON. */
import type { IncomingHttpHeaders } from "node:http";
import { milliseconds } from "../kernel/duration.js";
import type { RequestBody } from "../kernel/http/body.js";
import { encodingOf, isDecoded } from "../kernel/http/body.js";
import type { JournalEntry } from "../sandbox/journal.js";
import type { TokenOwner } from "../sandbox/registry.js";
import type { BehaviourKey, BehaviourValues } from "../service/behaviour/table.js";
import type { Caller } from "../service/domain/access.js";
import { Refusal } from "../service/domain/refusal.js";
import type { Operation } from "./operation.js";
import type { Problem } from "./validation/problem.js";

/** A call of a known operation as it came in. */
export interface Incoming {
  readonly owner: TokenOwner;
  readonly token: string | undefined;
  readonly entry: JournalEntry;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
}

/** The behaviour values that decide about a call. */
export const valuesFor = ({ owner, entry }: Pick<Incoming, "owner" | "entry">): BehaviourValues =>
  owner.run.behaviour.valuesFor(entry);

/** A request that is not valid: what is wrong with its body or query, and with its headers. */
export class InvalidRequest extends Error {
  constructor(
    readonly body: readonly Problem[],
    readonly headers: readonly Problem[] = [],
    /** The entry of the behaviour table that decided it. */
    readonly behaviour?: BehaviourKey,
  ) {
    super("the request is not valid");
    this.name = "InvalidRequest";
  }
}

/** @throws Refusal where the operation, or `permissions.required` for it, asks for a permission that the token lacks */
export function checkPermission(
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

/** @throws Refusal `limits.rateError` with the seconds until the next call may come */
export function checkRate(
  { run }: TokenOwner,
  { token }: Caller,
  { "limits.rate": limit }: BehaviourValues,
): void {
  if (limit === null) return;
  const { requests, per } = limit;
  const waitMs = run.rates.take(token.id, run.clock.now(), { requests, per: milliseconds(per) });
  if (waitMs > 0) throw new Refusal("limits.rateError", { retryAfter: Math.ceil(waitMs / 1000) });
}

/**
 * Size, then what the headers declare, then whether the body is JSON.
 * @returns the body's value; a call without a body is one without any field
 * @throws Refusal `limits.bodyError`, `http.unknownEncoding`; InvalidRequest
 */
export function checkBody(
  { owner: { run }, entry, operation, headers, body }: Incoming,
  values: BehaviourValues,
): unknown {
  if (body === "too large") throw new Refusal("limits.bodyError", { limit: values["limits.bodyBytes"] });
  const encoding = body === "none" ? undefined : encodingOf(headers);
  if (encoding !== undefined) {
    if (!isDecoded(encoding)) throw new Refusal("http.unknownEncoding", { encoding });
    run.logs.warn(encodedBody(operation, encoding), entry);
  }
  const declared = mediaTypeOf(headers["content-type"]);
  if (declared !== JSON_MEDIA_TYPE) {
    const key = operation.method === "GET" ? "headers.contentTypeOnGet" : "headers.contentTypeOnEmptyPost";
    if (body !== "none") throw new InvalidRequest([], [contentTypeProblem(declared)]);
    if (values[key] === "require") throw new InvalidRequest([], [contentTypeProblem(declared)], key);
    run.logs.warn(noContentType(operation), entry);
  }
  if (operation.body === undefined && body !== "none") run.logs.warn(unexpectedBody(operation), entry);
  if (body === "none") return {};
  if (body.problem !== undefined) throw new InvalidRequest([{ property: "@", message: body.problem }]);
  return body.value;
}

const JSON_MEDIA_TYPE = "application/json";

const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType === JSON_MEDIA_TYPE ? contentType : contentType?.split(";", 1)[0]?.trim().toLowerCase();

/** Warns of a path that differs from the documented one in its last character. */
export function notePath({ owner: { run }, entry, operation }: Incoming): void {
  if (!hasOtherEnd(operation, entry.path)) return;
  const { section, path } = operation;
  const message = `the documented path is ${path}, and ${entry.path} differs from it in its last slash`;
  run.logs.warn({ code: "trailing-slash", message, section }, entry);
}

/**
 * The parameters of the query; `query.repeated` says what counts of those given more than once.
 * @throws InvalidRequest naming those that the operation has, where it says `reject`
 */
export function queryFor(
  { owner: { run }, entry, operation: { section, query: schema } }: Incoming,
  values: BehaviourValues,
): Readonly<Record<string, string>> {
  const { query, rawQuery } = entry;
  if (!rawQuery.includes("&")) return query;
  const given = [...new URLSearchParams(rawQuery)];
  const names = given.map(([name]) => name);
  const repeated = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (repeated.length === 0) return query;
  const { "query.repeated": counts } = values;
  const known = repeated.filter((name) => Object.hasOwn(schema?.properties ?? {}, name));
  if (counts === "reject" && known.length > 0) {
    const problems = known.map((name) => ({ property: `@.${name}`, message: "is given more than once" }));
    throw new InvalidRequest(problems, [], "query.repeated");
  }
  const used = counts === "first" ? "first" : "last";
  for (const name of repeated) {
    const message = `the query parameter ${name} is given more than once: the ${used} counts`;
    run.logs.warn({ code: "doubled-parameter", message, section }, entry);
  }
  return used === "first" ? Object.fromEntries(given.reverse()) : query;
}

/** Whether a path of the operation ends with a slash where the documented one does not, or the other way round. */
export const hasOtherEnd = ({ path: documented }: Operation, path: string): boolean =>
  path.endsWith("/") !== documented.endsWith("/");

const noContentType = ({ method }: Operation) => ({
  code: "no-content-type",
  message: `a ${method} without the header Content-Type: application/json, which the specification asks of every request`,
  section: "Authentication",
});

const encodedBody = ({ section }: Operation, encoding: string) => ({
  code: "encoded-body",
  message: `a body with the header Content-Encoding: ${encoding}, of which the specification says nothing`,
  section,
});

const unexpectedBody = ({ method, path, section }: Operation) => ({
  code: "unexpected-body",
  message: `${method} ${path} has no body in the specification, and what this one says is ignored`,
  section,
});

const contentTypeProblem = (declared: string | undefined): Problem => ({
  property: "@.content-type",
  message:
    declared === undefined
      ? "is missing and not optional"
      : `must be equal to "application/json", but is equal to "${declared}"`,
});

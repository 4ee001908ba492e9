/** The answers that faults give in place of the operation's. */
import { milliseconds } from "../kernel/duration.js";
import { RETRY_AFTER_S } from "../kernel/http/admission.js";
import { nameOf } from "../kernel/http/target.js";
import { isObject } from "../kernel/json.js";
import type { FaultAction } from "../sandbox/fault-effects.js";
import type { Scope } from "../service/behaviour/entry.js";
import type { ServiceRefusalKey } from "../service/domain/refusals.js";
import { inFormOf } from "./answers.js";
import type { Exchange } from "./exchange.js";
import type { ApiAnswer } from "./operation.js";

/** The answer of a fault; undefined if the operation answers. */
export function faultAnswer(exchange: Exchange, fault: FaultAction | undefined): ApiAnswer | undefined {
  if (fault === undefined) return undefined;
  const { tokenExpired, status, body } = fault;
  const refusal = tokenExpired ? "auth.invalid" : fault.refusal;
  if (refusal !== undefined) return exchange.refusal(refusal, scopeFor(exchange, refusal));
  if (status === undefined && body === undefined) return undefined;
  const answer = { status: status ?? 200, body: body === undefined ? {} : body };
  return fault.preset === undefined ? answer : inFormOf(exchange.operation, answer, exchange.values);
}

/** The values for the placeholders of a refusal, from the call where it has them. */
const scopeFor = (exchange: Exchange, refusal: string): Scope => ({
  request: exchange.entry.body,
  operation: exchange.operation?.id,
  ...SCOPES[refusal as ServiceRefusalKey]?.(exchange),
});

const routeScope = ({ entry: { method, path }, operation }: Exchange) => ({
  method,
  path,
  allowed: operation?.method === "GET" ? "POST" : "GET, HEAD",
});

/** What a rule that refuses the call would say about it. */
const SCOPES: Readonly<Partial<Record<ServiceRefusalKey, (exchange: Exchange) => Scope>>> = {
  "users.lastInPool": ({ owner: { run, token } }) => {
    const { userId = "" } = (token !== null && run.world.get("tokens", token)) || {};
    return { businessId: run.world.get("users", userId)?.businessIds[0] ?? "1" };
  },
  "threadStatus.transitionError": ({ entry: { body }, owner: { run } }) => {
    const { customerThreadId, status = "waiting" } = isObject(body) ? body : {};
    return { from: run.world.get("threads", String(customerThreadId))?.status ?? "resolved", to: status };
  },
  "permissions.requiredError": ({ operation, values: { "permissions.required": required } }) => ({
    permission: required[operation?.id ?? ""] ?? operation?.permission?.name ?? "admin",
  }),
  "limits.textLengthError": ({ values: { "limits.textLength": limit } }) => ({
    limit: limit ?? 4096,
    length: (limit ?? 4096) + 1,
    property: "@.text",
  }),
  "limits.webhooksError": ({ values: { "limits.webhooks": limit } }) => ({ limit: limit ?? 10 }),
  "limits.bodyError": ({ values: { "limits.bodyBytes": limit } }) => ({ limit }),
  "limits.rateError": ({ values: { "limits.rate": limit } }) => ({
    retryAfter: Math.ceil(milliseconds(limit?.per ?? "1m") / 1000),
  }),
  "limits.overloadError": () => ({ reason: "too many calls", retryAfter: RETRY_AFTER_S }),
  "http.unknownPath": routeScope,
  "http.wrongMethod": routeScope,
  "http.unknownHost": ({ request: { headers } }) => ({
    host: headers.host,
    name: nameOf(headers.host ?? ""),
  }),
  "http.unknownEncoding": ({ request: { headers } }) => ({
    encoding: headers["content-encoding"] ?? "zstd",
  }),
};

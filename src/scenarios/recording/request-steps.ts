/** Calls to the simulated API as `request` steps, or as expectations of the system under test. */
import type { ControlRecord, RequestRecord, Template } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { isSecretName, maskedText } from "../../kernel/masking.js";
import { escaped } from "../placeholders.js";
import { STAND_IN, withoutSecrets } from "../trace.js";
import type { Draft, References } from "./references.js";
import { stable, UNSTABLE, writtenBody } from "./references.js";
import type { SessionLog } from "./session.js";

const NOUNS: Readonly<Record<string, string>> = {
  sendMessageToBusiness: "conversation",
  createWebhook: "webhook",
  listWebhooks: "webhooks",
  getWebhook: "webhook",
  updateWebhook: "webhook",
  graphql: "hook",
  getCustomerProfile: "profile",
  getWhatsappTemplates: "templates",
};
/** Operations whose answers show ids of new records. */
const MAKERS: readonly string[] = ["sendMessageToBusiness", "createWebhook"];
const BODILESS = /^(GET|HEAD)$/i;

const REFUSED = 401;
const UNKNOWN_TOKEN = "this call's token is not in the fixture";
/** Calls with unknown tokens reach only the default sandbox: a scenario needs a known one. */
const OVERRULED_TOKEN = `${UNKNOWN_TOKEN}; a fault answered it, as it would with a known one`;

export interface Tokens {
  readonly main: string | undefined;
  /** The fixture's name of a sent token, if it has one. */
  readonly nameOf: (sent: string) => string | undefined;
}

/**
 * The step for an answered call.
 *
 * @param isMalformed whether a fault may have sent another body than the journal holds
 */
export function requestStep(
  request: RequestRecord,
  tokens: Tokens,
  references: References,
  isMalformed: boolean,
): Draft {
  const { method, path, query, status, response, operation } = request;
  const search = Object.entries(query)
    .map(([name, plain]) => [name, isSecretName(name) ? STAND_IN : maskedText(plain)] as const)
    .map(([name, value]) => `${encodeURIComponent(name)}=${references.segment(encodeURIComponent(value))}`);
  const isStranger = request.token !== null && tokens.nameOf(request.token) === undefined;
  const draft: Draft = {
    noun: NOUNS[operation ?? ""] ?? "answer",
    ...(isStranger && { guess: status === REFUSED ? UNKNOWN_TOKEN : OVERRULED_TOKEN }),
    step: {
      request: `${method} ${references.path(path)}${search.length === 0 ? "" : `?${search.join("&")}`}`,
      ...tokenKey(request, tokens),
      ...headersKey(request),
      ...bodyKey(request, references),
      expect: expectedAnswer(status, isMalformed ? null : response, references),
    },
  };
  if (!isMalformed) references.add(draft, response, ["body"], MAKERS.includes(operation ?? ""));
  return draft;
}

function tokenKey({ token, status }: RequestRecord, { main, nameOf }: Tokens): object {
  if (token === null) return main === undefined ? {} : { token: null };
  const name = nameOf(token) ?? (status === REFUSED ? STAND_IN : main);
  return name === main ? {} : { token: name };
}

/** Only a content type that may have caused a refusal is worth a line. */
function headersKey({ headers, status }: RequestRecord): object {
  const type = headers["content-type"];
  const isUsual = type !== undefined && /^application\/json\b/i.test(type);
  if (isUsual || status === null || status < 400) return {};
  return { headers: { "content-type": type ?? null } };
}

function bodyKey({ method, headers, body }: RequestRecord, references: References): object {
  const length = headers["content-length"];
  const hasBody = body !== null || (length !== undefined && length !== "0");
  if (!hasBody || BODILESS.test(method)) return {};
  if (typeof body === "string" && Buffer.byteLength(body) === Number(length)) return { body: escaped(body) };
  if (typeof body !== "object" || body === null) return { body: escaped(JSON.stringify(body)) };
  return { body: writtenBody(references.body(withoutSecrets(body))) };
}

/** The status alone if nothing of the body is stable. */
function expectedAnswer(status: number | null, response: unknown, references: References): unknown {
  if (status === null) return { status };
  const match = bodyMatch(response, references);
  return "body" in match ? { status, ...match } : status;
}

/** The session without receivers' addresses, since each run has its own; notes say what is left out. */
export function withoutReceivers(session: SessionLog): SessionLog {
  const { controls, requests, deliveries, notes } = session;
  const paths = new Set(controls.map(({ path }) => path));
  const kept = controls.flatMap(unaddressed);
  const isAboutWebhooks = ({ by, path }: RequestRecord) => by === "client" && ABOUT_WEBHOOKS.test(path);
  const changed = controls.filter(
    (each) => /^\/data\/webhooks/.test(each.path) && unaddressed(each)[0] !== each,
  );
  const omitted = [
    ...changed.map(({ method, path }) => `the address in ${method} ${path}`),
    ...requests.filter(isAboutWebhooks).map(({ id, method, path }) => `${id} ${method} ${path}`),
  ];
  return {
    ...session,
    notes: [
      ...notes,
      ...omitted.map((call) => `${call}: left out, because the run has its own webhooks (--hook)`),
    ],
    controls: kept.filter((each) => !isIdleSnapshot(each, paths)),
    requests: requests.filter((each) => !isAboutWebhooks(each)),
    deliveries: deliveries.filter(({ url, status }) => status === "delivered" && !url.startsWith("sink:")),
  };
}

const ABOUT_WEBHOOKS = /hook|\/graphql$/;

/**
 * Whether a call takes a snapshot that is never restored, or deletes one: the dashboard takes one before each of its actions.
 *
 * @param paths those of all control calls
 */
const isIdleSnapshot = ({ method, path, body }: ControlRecord, paths: ReadonlySet<string>): boolean =>
  path.startsWith("/snapshots") &&
  (method === "DELETE" ||
    (path === "/snapshots" &&
      !paths.has(`/snapshots/${encodeURIComponent(String(valueAt(body, ["name"])))}/restore`)));

/** A control call without receivers' addresses, unless nothing else is left of it. */
function unaddressed(control: ControlRecord): ControlRecord[] {
  const { method, path, body } = control;
  if (path === "/connect" || path.startsWith("/sinks/")) return [];
  if (!path.startsWith("/data/webhooks") || !isObject(body) || !("url" in body)) return [control];
  const { url: _, ...rest } = body;
  return method === "PATCH" && Object.keys(rest).length > 0 ? [{ ...control, body: rest }] : [];
}

/** Longer recorded pauses of the system under test need more patient expectations, ms. */
export const PATIENT_FROM_MS = 1_000;

/** The expectation of a call by the system under test: a `reply` for visible messages. */
export function expectationOf(
  request: RequestRecord,
  references: References,
  templates: readonly Template[],
): Draft {
  const { operation, method, path, body, response } = request;
  const status = request.status ?? request.lostStatus ?? null;
  const isVisible =
    operation === "sendMessageToCustomerThread" &&
    status !== null &&
    status < 300 &&
    valueAt(body, ["internal"]) !== true;
  const match = {
    ...(operation === null ? { method, path: references.path(path) } : { operation }),
    ...bodyMatch(isObject(body) ? body : "", references),
    status: request.status,
  };
  const draft: Draft = isVisible
    ? { noun: "reply", step: { reply: replyOf(body, references, templates) } }
    : { noun: "call", step: { expect: { request: match } } };
  references.add(draft, response, ["response"]);
  return draft;
}

/** The part of a MATCH on a body, if any of it is stable. */
function bodyMatch(body: unknown, references: References): { readonly body?: unknown } {
  const pattern = body === null || body === "" ? UNSTABLE : stable(body, references);
  const isEmpty = isObject(pattern) && Object.keys(pattern).length === 0;
  return pattern === UNSTABLE || isEmpty ? {} : { body: pattern };
}

/** The thread of a step, unless it is the scenario's. */
export const threadKey = (thread: string | number, references: References): { readonly thread?: string } =>
  String(thread) === references.thread
    ? {}
    : { thread: references.placeholder(thread) ?? references.id(String(thread)) };

function replyOf(body: unknown, references: References, templates: readonly Template[]): unknown {
  const where = threadKey(valueAt(body, ["customerThreadId"]) as string | number, references);
  const sid = valueAt(body, ["contentSid"]);
  if (typeof sid === "string") {
    const title = templates.find(({ id }) => id === sid)?.title;
    return { ...where, template: references.text(title ?? sid) };
  }
  const text = references.text(String(valueAt(body, ["text"]) ?? ""));
  return where.thread === undefined && text !== "" ? text : { ...where, text };
}

/** Calls to the simulated API as `request` steps. */
import type { RequestRecord } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import { isSecretName, maskedText } from "../kernel/masking.js";
import { escaped } from "../scenarios/placeholders.js";
import { writtenBody } from "./bodies.js";
import type { Draft } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";
import { STAND_IN, withoutSecrets } from "./secrets.js";

/** What the outcome of an operation is called. */
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
/** Operations that make something, so that an id in their answer is a new one. */
const MAKERS: readonly string[] = ["sendMessageToBusiness", "createWebhook"];
/** The methods whose calls have no body in a scenario. */
const BODILESS = /^(GET|HEAD)$/i;

/** The status of a call whose token nobody knows. */
const REFUSED = 401;
const UNKNOWN_TOKEN = "the token of this call is none of the fixture's";
/** A call whose token nobody knows reaches no sandbox but the default one: a replay needs one that is known. */
const OVERRULED_TOKEN = `${UNKNOWN_TOKEN}; a fault answered, and does so with a known one`;

/** How a recording names tokens. */
export interface Tokens {
  /** What most calls use. */
  readonly main: string | undefined;
  /** The fixture's name of a token as it was sent; undefined for one that no fixture has. */
  readonly nameOf: (sent: string) => string | undefined;
}

/**
 * The step for a call that has its answer; undefined for one that no scenario can make. `isMalformed`: a fault may have
 * sent another body than the journal holds.
 */
export function requestStep(
  request: RequestRecord,
  tokens: Tokens,
  references: References,
  isMalformed: boolean,
): Draft | undefined {
  const { method, path, query, status, response, operation } = request;
  if (!path.startsWith("/") || /\s/.test(path)) return undefined;
  const segments = path.split("/").map((segment) => references.segment(segment));
  const search = Object.entries(query)
    .map(([name, plain]) => [name, isSecretName(name) ? STAND_IN : maskedText(plain)] as const)
    .map(([name, value]) => `${encodeURIComponent(name)}=${references.segment(encodeURIComponent(value))}`);
  const isStranger = request.token !== null && tokens.nameOf(request.token) === undefined;
  const draft: Draft = {
    noun: NOUNS[operation ?? ""] ?? "answer",
    ...(isStranger && { guess: status === REFUSED ? UNKNOWN_TOKEN : OVERRULED_TOKEN }),
    step: {
      request: `${method} ${segments.join("/")}${search.length === 0 ? "" : `?${search.join("&")}`}`,
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

/** Only a content type that the service may have minded is worth a line. */
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

/** The status alone where nothing of the body stays the same. */
function expectedAnswer(status: number | null, response: unknown, references: References): unknown {
  if (status === null) return { status: null };
  const body = response === null || response === "" ? UNSTABLE : stable(response, references);
  const isEmpty = isObject(body) && Object.keys(body).length === 0;
  return body === UNSTABLE || isEmpty ? status : { status, body };
}

/** Calls to the simulated API as `request` steps. */
import type { RequestRecord } from "../client/types.js";
import type { Draft } from "./draft.js";
import { literal } from "./draft.js";
import { stable, UNSTABLE } from "./expected.js";
import type { References } from "./references.js";
import { bodyOf } from "./references.js";
import { MASK, withoutSecrets } from "./secrets.js";

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
const MAKES: readonly string[] = ["sendMessageToBusiness", "createWebhook"];
/** The methods whose calls have no body in a scenario. */
const BODILESS = /^(GET|HEAD)$/i;

/** How a recording names tokens. */
export interface Tokens {
  /** What most calls use. */
  readonly main: string | undefined;
  /** The fixture's name of a token as it was sent; undefined for one that no fixture has. */
  readonly nameOf: (sent: string) => string | undefined;
}

/** The step for a call that has its answer; undefined for one that no scenario can make. `garbled`: its body may have been sent as another. */
export function requestStep(
  request: RequestRecord,
  tokens: Tokens,
  references: References,
  garbled: boolean,
): Draft | undefined {
  const { method, status, response, operation } = request;
  if (!request.path.startsWith("/") || /\s/.test(request.path)) return undefined;
  const path = pathOf(request, references);
  const draft: Draft = {
    noun: NOUNS[operation ?? ""] ?? "answer",
    step: {
      request: `${method} ${path}`,
      ...tokenOf(request, tokens),
      ...headersOf(request),
      ...sentBody(request, references),
      expect: expectedAnswer(status, garbled ? null : response, references),
    },
  };
  if (!garbled) references.made(draft, response, ["body"], MAKES.includes(operation ?? ""));
  return draft;
}

function pathOf({ path, query }: RequestRecord, references: References): string {
  const segments = path.split("/").map((segment) => namedIn(references, segment, decoded(segment)));
  const asked = Object.entries(query).map(([name, value]) => {
    const encoded = encodeURIComponent(value);
    return `${encodeURIComponent(name)}=${namedIn(references, encoded, value)}`;
  });
  return segments.join("/") + (asked.length === 0 ? "" : `?${asked.join("&")}`);
}

/** A placeholder for a part of an address that is an id of the session, else the part as it stands. */
const namedIn = (references: References, text: string, value: string): string =>
  (value === "" ? undefined : references.to(value)) ?? literal(text);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function tokenOf({ token }: RequestRecord, { main, nameOf }: Tokens): object {
  if (token === null) return main === undefined ? {} : { token: null };
  const name = nameOf(token) ?? MASK;
  return name === main ? {} : { token: name };
}

/** Only a content type that the service may have minded is worth a line. */
function headersOf({ headers, status }: RequestRecord): object {
  const type = headers["content-type"];
  const isUsual = type !== undefined && /^application\/json\b/i.test(type);
  if (isUsual || status === null || status < 400) return {};
  return { headers: { "content-type": type ?? null } };
}

function sentBody({ method, headers, body }: RequestRecord, references: References): object {
  const length = headers["content-length"];
  const hasBody = body !== null || (length !== undefined && length !== "0");
  if (!hasBody || BODILESS.test(method)) return {};
  if (typeof body === "string" && Buffer.byteLength(body) === Number(length)) return { body: literal(body) };
  if (typeof body !== "object" || body === null) return { body: literal(JSON.stringify(body)) };
  return { body: bodyOf(references.sent(withoutSecrets(body))) };
}

/** The status alone where nothing of the body stays the same. */
function expectedAnswer(status: number | null, response: unknown, references: References): unknown {
  if (status === null) return { status: null };
  const pattern = response === null || response === "" ? UNSTABLE : stable(response, references);
  const isEmpty = typeof pattern === "object" && pattern !== null && Object.keys(pattern).length === 0;
  return pattern === UNSTABLE || (isEmpty && !Array.isArray(pattern)) ? status : { status, body: pattern };
}

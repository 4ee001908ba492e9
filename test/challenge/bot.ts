/** A bot that tells customers their name once it knows it: correct, or with one of the usual mistakes. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Heard } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";

/** The mistakes, by the kind of challenge that finds them; examples/order-bot makes the others. */
export type Mistake =
  /** Remembers a message when it has handled it. */
  | "duplicated"
  /** Answers from what has arrived so far. */
  | "swapped"
  /** Waits for the event of its own message. */
  | "lost";

/** Variants of a correct bot. */
export interface Variant {
  /** Takes deliveries of a legacy webhook. */
  readonly isLegacy?: boolean;
  /** Knows a delivery by its `webhook-id`, not by the id of its message. */
  readonly byDelivery?: boolean;
  /** Refuses undocumented types, but ignores unknown fields. */
  readonly isStrict?: boolean;
}

export const SECRET = "a secret that both know";
/** How long it waits for the event of its own message, ms: enough for a busy machine. */
const ECHO_MS = 1_000;

/** The customer's question, and the request while the messaging window is closed. */
const QUESTION = "Who am I?";
const REQUEST = "Remind me later";

interface Known {
  name?: string;
  isAsked?: boolean;
  isTold?: boolean;
}

/** The documented types of a message event's fields. */
const MODEL = {
  ...{ fromCustomer: "boolean", invisible: "boolean", customerId: "string", customerType: "string" },
  ...{ customerThreadId: "number", businessId: "number", messageId: "number", messageTimestamp: "number" },
  messageBody: "string",
};

type Answer = { readonly templates?: readonly Record<"title" | "text" | "contentSid", string>[] };

/** Starts a bot on a free port, and stops it with the test. @returns its address */
export async function startBot(
  api: () => string,
  mistake?: Mistake,
  token = "acme-token",
  { isLegacy = false, byDelivery = false, isStrict = false }: Variant = {},
): Promise<string> {
  const handled = new Set<string>();
  const echoes = new Set<string>();
  const unconfirmed = new Set<string>();
  const heard = new EventEmitter();
  const threads = new Map<string, Known>();

  /** Whether a message exists whose call got no answer: its event says so. */
  async function isThere(key: string): Promise<boolean> {
    if (!echoes.has(key)) await once(heard, key, { signal: AbortSignal.timeout(ECHO_MS) }).catch(() => {});
    return echoes.has(key);
  }

  /** Repeats a call until its result is known. @param key names the message @returns the answer to a GET */
  async function call(apiToken: string, path: string, body?: object, key = ""): Promise<Answer | undefined> {
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const response = await fetch(`${api()}/api/${path}`, {
        headers: { token: apiToken, "Content-Type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined);
      if (response === undefined) {
        if (body && (await isThere(key))) return;
        continue;
      }
      if (response.status === 429) await setTimeout(1_000 * Number(response.headers.get("retry-after")));
      if (response.status === 503 || response.status === 429) continue;
      const answer = (await response.json().catch(() => undefined)) as Answer | undefined;
      if (body !== undefined || answer !== undefined) return answer;
    }
    return undefined;
  }

  /** Sends a text or a template. */
  async function send(thread: string, content: object, text: string, apiToken: string): Promise<void> {
    const key = `${apiToken} ${thread} ${text}`;
    echoes.delete(key);
    unconfirmed.add(thread);
    await call(apiToken, "send-message-to-customer-thread", { customerThreadId: thread, ...content }, key);
  }

  async function followUp(thread: string, apiToken: string): Promise<void> {
    if (mistake === "lost" && unconfirmed.has(thread)) return;
    const list = await call(apiToken, `get-whatsapp-templates?customerThreadId=${thread}`);
    const { templates = [] } = list ?? {};
    const found = templates.find(({ title }) => title === "issue_back");
    if (found !== undefined) await send(thread, { contentSid: found.contentSid }, found.text, apiToken);
  }

  function isGenuine(raw: string, { headers }: IncomingMessage): boolean {
    const id = String(headers["webhook-id"]);
    const signed = String(headers["webhook-timestamp"]);
    const given = String(headers["webhook-signature"]).split(",")[1] ?? "";
    if (Math.abs(Date.now() / 1000 - Number(signed)) > 300) return false;
    const right = createHmac("sha256", SECRET).update(`${id}.${signed}.${raw}`).digest("base64");
    return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right));
  }

  async function handle(data: Heard["data"], delivery: string, apiToken: string): Promise<void> {
    const id = byDelivery ? delivery : String(data.messageId);
    const thread = String(data.customerThreadId);
    const key = `${apiToken} ${thread}`;
    if (!data.fromCustomer) {
      echoes.add(`${key} ${data.messageBody}`);
      unconfirmed.delete(thread);
      return void heard.emit(`${key} ${data.messageBody}`);
    }
    if (handled.has(id)) return;
    if (mistake !== "duplicated") handled.add(id);
    if (data.messageBody === REQUEST) {
      await followUp(thread, apiToken);
      if (mistake === "duplicated") handled.add(id);
      return;
    }
    const known = threads.get(key) ?? {};
    threads.set(key, known);
    const [, name] = /^My name is (.*)/.exec(String(data.messageBody)) ?? [];
    if (name !== undefined) Object.assign(known, { name, isTold: false });
    else if (data.messageBody === QUESTION) known.isAsked = true;
    const isKnown = known.name !== undefined || mistake === "swapped";
    if (known.isAsked && isKnown && (!known.isTold || mistake === "duplicated")) {
      known.isTold = true;
      const text = `You are ${known.name ?? "unknown to me"}`;
      if (mistake === "duplicated") known.isAsked = false;
      else threads.delete(key);
      await send(thread, { text }, text, apiToken);
    }
    if (mistake === "duplicated") handled.add(id);
  }

  const url = await serverOf(async (request, response) => {
    const raw = await text(request);
    const end = (status: number) => response.writeHead(status).end();
    if (!isGenuine(raw, request)) return end(401);
    const { eventType, data } = isLegacy ? { eventType: "message", data: JSON.parse(raw) } : JSON.parse(raw);
    if (eventType !== "message") return end(200);
    if (isStrict && Object.entries(MODEL).some(([field, type]) => typeof data[field] !== type))
      return end(400);
    const { "webhook-id": id, "x-token": apiToken = token } = request.headers;
    end(200);
    await handle(data, String(id), String(apiToken));
  });
  return `${url}/`;
}

const START = `name: A name is told
thread: "9001"
within: 5s
behaviour:
  delivery.signature: { scheme: standard-webhooks, secrets: ["${SECRET}"] }
steps:
`;
const NAMES = `  - customer: My name is Ann
  - customer: ${QUESTION}
  - reply: You are Ann
`;
const TEMPLATE = `  - window: closed
  - customer: ${REQUEST}
  - reply: { template: issue_back }
`;
/** A message that is sent twice comes before the transfer, which hides it. */
const END = `  - wait: 200ms
  - transfer: "1002"
  - expect: { idle: true }
`;

/** Two consecutive messages by the customer, and one reply to both. */
export const CONVERSATION = START + NAMES + END;

/** The same, and a template. */
export const WITH_TEMPLATE = START + NAMES + TEMPLATE + END;

/** The same through a legacy webhook. */
export const LEGACY = `${START}  - set: { collection: webhooks, id: "1", values: { legacy: true } }
${NAMES}${TEMPLATE}`;

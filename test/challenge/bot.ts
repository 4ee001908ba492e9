/** A bot that tells customers their name once it knows it: right, or with one of the usual mistakes. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { serverOf } from "../support/server.js";

/** The mistakes, each under the kind of challenge that is meant for it. */
export const MISTAKES = {
  behaviour: "sends ids as numbers",
  unavailable: "does not repeat a 503",
  "rate-limited": "does not repeat a 429",
  "hang-up-before": "does not repeat a call whose connection broke",
  "hang-up-after": "repeats a call without looking whether it had its effect",
  slow: "waits 100 ms for an answer, and gives up then",
  malformed: "repeats a call whose answer it cannot read",
  twice: "remembers a message when it has handled it",
  "sent-again": "forgets a message when it has answered its event",
  swapped: "answers from what has arrived so far",
  late: "answers from what has arrived so far",
  "unknown-fields": "refuses fields that it does not know",
  "unknown-event": "takes every event for a message",
  "bad-signature": "looks for a signature, and not at it",
  "altered-signature": "compares the beginning of a signature",
  "re-encoded": "verifies the body that it has parsed",
  "stale-signature": "does not look at the age of a signature",
  "ahead-signature": "takes signatures from the future",
  "clock-behind": "takes signatures of the last minute only",
  "clock-ahead": "takes signatures of the past only",
  "ids-beyond-31-bits": "keeps ids in 32 bits",
  "ids-of-15-digits": "prints ids as floats",
} as const;
export type Mistake = keyof typeof MISTAKES;

export const SECRET = "a secret that both know";
/** So long it waits for the event of its own message, ms: also on a machine that is busy with other tests. */
const ECHO_MS = 1_000;

interface Known {
  name?: string;
  isAsked?: boolean;
  isTold?: boolean;
}

/** Starts one on a free port; its address comes back. It ends with the test. */
export async function startBot(api: () => string, mistake?: Mistake, token = "acme-token"): Promise<string> {
  const has = (...mistakes: Mistake[]) => mistake !== undefined && mistakes.includes(mistake);
  const handled = new Set<number>();
  const echoes = new Set<string>();
  const heard = new EventEmitter();
  const threads = new Map<string, Known>();

  async function send(key: string, body: object, apiToken: string): Promise<"done" | "again" | "unknown"> {
    const response = await fetch(`${api()}/api/send-message-to-customer-thread`, {
      method: "POST",
      headers: { token: apiToken, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(has("slow") ? 100 : 5_000),
    }).catch(() => undefined);
    if (response === undefined)
      return has("hang-up-before", "slow") ? "done" : has("hang-up-after") ? "again" : "unknown";
    if (response.status === 503) return has("unavailable") ? "done" : "again";
    if (response.status === 429) return has("rate-limited") ? "done" : "again";
    const isReadable = await response.json().then(
      () => true,
      () => false,
    );
    return isReadable || !has("malformed") || echoes.has(key) ? "done" : "again";
  }

  /** Sends until it is sure that the message is there; its own message's event says so where no answer does. */
  async function say(thread: string, said: string, apiToken: string): Promise<void> {
    const key = `${apiToken} ${thread} ${said}`;
    echoes.delete(key);
    const body = { customerThreadId: has("behaviour") ? Number(thread) : thread, text: said };
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const result = await send(key, body, apiToken);
      if (result === "done") return;
      if (result === "unknown" && !echoes.has(key))
        await once(heard, key, { signal: AbortSignal.timeout(ECHO_MS) }).catch(() => {});
      if (result === "unknown" && echoes.has(key)) return;
    }
  }

  function isGenuine(raw: string, { headers }: IncomingMessage): boolean {
    const id = String(headers["webhook-id"]);
    const signed = String(headers["webhook-timestamp"]);
    const given = String(headers["webhook-signature"]).split(",")[1] ?? "";
    if (has("bad-signature")) return given !== "";
    const age = Date.now() / 1000 - Number(signed);
    if (age > (has("clock-behind") ? 60 : 300) && !has("stale-signature")) return false;
    if (age < (has("clock-ahead") ? -1 : -300) && !has("ahead-signature")) return false;
    const body = has("re-encoded") ? JSON.stringify(JSON.parse(raw)) : raw;
    const right = createHmac("sha256", SECRET).update(`${id}.${signed}.${body}`).digest("base64");
    if (has("altered-signature")) return given.slice(0, 8) === right.slice(0, 8);
    return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right));
  }

  async function handle(data: Record<string, unknown>, apiToken: string): Promise<void> {
    const id = Number(data.messageId);
    const long = data.customerThreadId as number;
    const thread = has("ids-beyond-31-bits")
      ? String(long | 0)
      : has("ids-of-15-digits")
        ? String(Number(long.toPrecision(10)))
        : String(long);
    if (!data.fromCustomer) {
      const key = `${apiToken} ${thread} ${data.messageBody}`;
      echoes.add(key);
      return void heard.emit(key);
    }
    if (handled.has(id)) return;
    if (!has("twice")) handled.add(id);
    const key = `${apiToken} ${thread}`;
    const known = threads.get(key) ?? {};
    threads.set(key, known);
    const [, name] = /^My name is (.*)/.exec(String(data.messageBody)) ?? [];
    if (name !== undefined) Object.assign(known, { name, isTold: false });
    else known.isAsked = true;
    if (
      known.isAsked &&
      (known.name !== undefined || has("swapped", "late")) &&
      (!known.isTold || has("twice", "sent-again"))
    ) {
      known.isTold = true;
      const said = `You are ${known.name ?? "unknown to me"}`;
      if (has("twice", "sent-again")) known.isAsked = false;
      else threads.delete(key);
      await say(thread, said, apiToken);
    }
    if (has("twice")) handled.add(id);
    if (has("sent-again")) handled.delete(id);
  }

  const url = await serverOf(async (request, response) => {
    const raw = await text(request);
    const end = (status: number) => response.writeHead(status).end();
    if (!isGenuine(raw, request)) return end(401);
    const { eventType, data, ...more } = JSON.parse(raw);
    if (has("unknown-fields") && Object.keys(more).some((key) => key !== "timestamp")) return end(400);
    if (eventType !== "message" && !has("unknown-event")) return end(200);
    if (data === undefined) return end(500);
    const handling = () => handle(data, String(request.headers["x-token"] ?? token));
    // What is sent again once the answer is lost finds the message forgotten.
    if (has("sent-again")) await handling();
    end(200);
    if (!has("sent-again")) await handling();
  });
  return `${url}/`;
}

/** Two things that the customer says, one after the other, and what both are answered with. */
export const CONVERSATION = `name: A name is told
thread: "9001"
within: 1500ms
behaviour:
  delivery.signature: { scheme: standard-webhooks, secrets: ["${SECRET}"] }
steps:
  - customer: My name is Ann
  - customer: Who am I?
  - reply: You are Ann
  - transfer: "1002"
  - expect: { idle: true }
`;

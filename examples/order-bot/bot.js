/** A bot that tells customers about their orders, with the usual mistakes: README.md has the list. mended.js is its mended form. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { answerTo, BUSINESS, PREFIX, SECRET, WELCOME } from "./shop.js";

/** The templates of our account. */
const CONTENT_SIDS = {
  order_news: "HX00000000000000000000000000000001",
  welcome_back: "HX00000000000000000000000000000002",
};

const HOUR_MS = 3_600_000;
const TOLERANCE_S = 300;
const TIMEOUT_MS = 500;

/** The fields that events have. */
const KNOWN_FIELDS = ["eventType", "timestamp", "data"];

/** Whether the service has sent this body. */
function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const expected = createHmac("sha256", SECRET).update(`${id}.${timestamp}.${body}`).digest("base64");
  try {
    timingSafeEqual(Buffer.from(signature), Buffer.from(`v1,${expected}`));
    return true;
  } catch {
    return false;
  }
}

/** The bot as a server that is not listening yet. */
export function createBot(api, token) {
  /** Threads that a colleague answers. */
  const takenOver = new Set();
  /** Threads that are at another business. */
  const elsewhere = new Set();
  /** Threads whose customer has written, which opens the messaging window. */
  const hasWritten = new Set();

  /** Calls the API; undefined when that fails. */
  async function call(path, body) {
    try {
      const response = await fetch(api + path, {
        headers: { token, ...(body && { "Content-Type": "application/json" }) },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer = await response.json();
      if ("error" in answer) throw new Error(answer.error);
      return answer;
    } catch (error) {
      console.error(`${path}: ${error.message}`);
      return undefined;
    }
  }

  async function say(customerThreadId, { text, template }) {
    const path = "/api/send-message-to-customer-thread";
    const query = `?customerThreadId=${customerThreadId}`;
    const isOpen =
      hasWritten.has(customerThreadId) ||
      (await call(`/api/get-customer-thread-details${query}`))?.isMessagingWindowOpen;
    if (isOpen) return call(path, { customerThreadId, text });
    return call(path, { customerThreadId, contentSid: CONTENT_SIDS[template] });
  }

  const setStatus = (customerThreadId, status) =>
    call("/api/update-thread-status", { customerThreadId, status });

  async function onTransfer(thread, { newBusinessId }) {
    if (newBusinessId !== Number(BUSINESS)) return elsewhere.add(thread);
    elsewhere.delete(thread);
    takenOver.delete(thread);
    await say(thread, WELCOME);
  }

  async function onMessage(thread, { fromCustomer, invisible, messageBody, messageTimestamp, customerId }) {
    if (fromCustomer === false) {
      if (!invisible && !messageBody.startsWith(PREFIX)) takenOver.add(thread);
      return;
    }
    // After a long failure of ours nobody waits for these answers any more.
    if (Date.now() - messageTimestamp > HOUR_MS) return;
    if (takenOver.has(thread) || elsewhere.has(thread)) return;
    hasWritten.add(thread);
    const { firstName } = (await call(`/api/customers/${customerId}/profile`)) ?? {};
    const answer = answerTo(messageBody, firstName === "" ? "" : `${firstName}, `);
    if (answer.status === "resolved") {
      await setStatus(thread, answer.status);
      await say(thread, answer);
    } else if ((await say(thread, answer)) !== undefined) await setStatus(thread, answer.status);
  }

  return createServer(async (request, response) => {
    const body = await text(request);
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
    const event = JSON.parse(body);
    const unknown = Object.keys(event).filter((field) => !KNOWN_FIELDS.includes(field));
    if (unknown.length > 0) throw new Error(`unknown fields: ${unknown}`);
    const { eventType, data } = event;
    // A number in messages, a text in transfers.
    const thread = data.customerThreadId | 0;
    if (eventType === "transfer") await onTransfer(thread, data);
    else await onMessage(thread, data);
    response.writeHead(204).end();
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { MESSAGING_SIM_URL = "http://127.0.0.1:4020", MESSAGING_SIM_TOKEN, PORT = "4021" } = process.env;
  // Without the API there is no use in listening.
  await fetch(MESSAGING_SIM_URL);
  createBot(MESSAGING_SIM_URL, MESSAGING_SIM_TOKEN).listen(Number(PORT), "127.0.0.1");
}

/** The bot of bot.js, mended. Each comment says what was wrong there, and why the world does that. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createCaller, parsed } from "./calls.js";
import { answerTo, BUSINESS, PREFIX, SECRET, WELCOME } from "./shop.js";

const TOLERANCE_S = 300;
/** How long we wait for a message of ours to come back as an event: enough for a busy service. */
const ECHO_MS = 1_000;
const MAX_REMEMBERED = 10_000;

/** Whether the service has sent these bytes, lately. */
function isGenuine(headers, bytes) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const expected = createHmac("sha256", SECRET).update(`${id}.${timestamp}.`).update(bytes).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    // The answer of timingSafeEqual was not looked at: it throws for other lengths only. The address of a
    // webhook is no secret, so anybody can send it what they like.
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Remembers so many newest keys. */
class Remembered extends Set {
  add(key) {
    if (this.size >= MAX_REMEMBERED) this.delete(this.values().next().value);
    return super.add(key);
  }
}

/** The bot in the account of a token: takes what is delivered there. What it remembers is of no use in another one. */
function createAccount(api, token) {
  const call = createCaller(api, token);
  const handled = new Remembered();
  /** Threads that a colleague answers. */
  const takenOver = new Set();
  /** What came back of what we said. */
  const echoes = new Remembered();
  /** The end of what is going on in each thread. */
  const turns = new Map();

  /** No call lists the messages of a thread, but each comes back as an event. */
  async function comesBack(key) {
    for (let waited = 0; waited < ECHO_MS && !echoes.has(key); waited += 10) await sleep(10);
    return echoes.has(key);
  }

  async function send(customerThreadId, text, content) {
    const key = `${customerThreadId} ${text}`;
    echoes.delete(key);
    const body = { customerThreadId, ...content };
    const hasWorked = () => comesBack(key);
    const { status } = await call("/api/send-message-to-customer-thread", body, hasWorked);
    return status < 300;
  }

  async function say(thread, { text, template }) {
    const query = `?customerThreadId=${encodeURIComponent(thread)}`;
    // A window was taken for open once the customer had written. But it closes with time: even between this
    // question and the message, which is why a text that is refused is followed by a template.
    const { answer } = await call(`/api/get-customer-thread-details${query}`);
    if (answer?.isMessagingWindowOpen && (await send(thread, text, { text }))) return;
    // It knew each contentSid by heart: a template that is approved anew has another one, and none may be left.
    const { answer: list } = await call(`/api/get-whatsapp-templates${query}`);
    const found = list?.templates.find(({ title }) => title === template);
    if (found !== undefined) await send(thread, found.text, { contentSid: found.contentSid });
  }

  async function answer(thread, { customerId, messageBody }) {
    const { answer: profile } = await call(`/api/customers/${encodeURIComponent(customerId)}/profile`);
    // Only an empty text counted as no name. What is not known may also be null, or left out.
    const reply = answerTo(messageBody, profile?.firstName ? `${profile.firstName}, ` : "");
    await say(thread, reply);
    // "resolved" was set before the last words. But a message may move the status too: what is to stay is
    // set last.
    await call("/api/update-thread-status", { customerThreadId: thread, status: reply.status });
  }

  /** Does one thing after the other in a thread. */
  function inTurn(thread, work) {
    const turn = (turns.get(thread) ?? Promise.resolve()).then(work).catch((error) => console.error(error));
    turns.set(thread, turn);
    turn.then(() => turns.get(thread) === turn && turns.delete(thread));
  }

  return function take({ eventType, data }, bytes) {
    // What was no transfer counted as a message, and what was not `fromCustomer: false` as a customer's; a
    // field that was not known made it throw. There will be more types of events, and more fields.
    if (eventType !== "message" && eventType !== "transfer") return;
    // Each delivery counted as a new one. A sender that got no answer sends again. What has no id of its own
    // is known by its bytes.
    const key = data.messageId === undefined ? bytes.toString() : `message ${data.messageId}`;
    if (handled.has(key)) return;
    // Now, not when all is done: the second one may come at the same moment.
    handled.add(key);
    // It was `| 0`: an integer of 32 bits, sent as a number. Ids are text, and they grow.
    const thread = String(data.customerThreadId);
    if (eventType === "transfer") {
      if (String(data.newBusinessId) !== BUSINESS) return;
      takenOver.delete(thread);
      inTurn(thread, () => say(thread, WELCOME));
    } else if (data.fromCustomer !== true) {
      if (data.messageBody?.startsWith(PREFIX)) echoes.add(`${thread} ${data.messageBody}`);
      else if (data.invisible !== true) takenOver.add(thread);
    } else if (String(data.businessId) === BUSINESS && !takenOver.has(thread)) {
      // It went by the transfers that it had heard of. Nothing promises that a transfer comes before the
      // message after it; the message itself says where its thread is. It also compared `messageTimestamp`
      // with milliseconds, and nothing promises the unit: the age is not needed.
      inTurn(thread, () => answer(thread, data));
    }
  };
}

/** The bot as a server that is not listening yet. */
export function createBot(api, ownToken) {
  const accounts = new Map();
  return createServer(async (request, response) => {
    const bytes = await buffer(request);
    if (!isGenuine(request.headers, bytes)) return response.writeHead(401).end();
    const event = parsed(bytes.toString());
    // It answered 204 when all was done. A sender waits for seconds at most, and may take nothing but 200.
    response.writeHead(event === undefined ? 400 : 200).end();
    if (event === undefined) return;
    // A webhook may bring the token of its account along in a header of its own.
    const { "x-account-token": token = ownToken } = request.headers;
    if (!accounts.has(token)) accounts.set(token, createAccount(api, token));
    accounts.get(token)(event, bytes);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { MESSAGING_SIM_URL = "http://127.0.0.1:4020", MESSAGING_SIM_TOKEN, PORT = "4021" } = process.env;
  createBot(MESSAGING_SIM_URL, MESSAGING_SIM_TOKEN).listen(Number(PORT), "127.0.0.1");
}

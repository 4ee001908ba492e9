/** What is often asked of the simulator behind the page, and a bot for it. */
import { json } from "node:stream/consumers";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";

export const SEND = "POST /api/send-message-to-customer-thread";
export const READ = "GET /api/get-customer-thread-details?customerThreadId=9001";
export const START = "2026-01-01T09:00:00Z";

/** What the control API answers to a GET. */
export const read = async (sim: Running, path: string) => (await sim.control(`GET ${path}`)).body;
export const idle = (sim: Running) => sim.control("POST /wait", { for: "idle" });
/** The customer of a thread writes, from elsewhere. */
export const inbound = (sim: Running, text: string, thread = "9001") =>
  sim.control(`POST /threads/${thread}/inbound`, { text });
export const reply = (sim: Running, text: string, thread = "9001") =>
  sim.api(SEND, { customerThreadId: thread, text });
/** Calls the API so many times, as a polling bot does. */
export const poll = async (sim: Running, count: number) => {
  for (let left = count; left > 0; left -= 50)
    await Promise.all(Array.from({ length: Math.min(50, left) }, () => sim.api(READ)));
};

interface Question {
  readonly fromCustomer?: boolean;
  readonly customerThreadId?: number;
}

/**
 * Starts a small system under test, subscribed to the messages of the first organization. Its receiver answers with `status`;
 * then it replies to each customer through the API, unless it is `mute`.
 */
export async function startBot(sim: Running, text = "Your order is on its way.") {
  const bot = { url: "", status: 200, mute: false };
  const origin = await serverOf(async (request, response) => {
    // A ping has no data.
    const { eventType, data = {} } = (await json(request)) as { eventType: string; data?: Question };
    const works = bot.status < 300;
    response.writeHead(bot.status, { "content-type": "application/json" });
    response.end(works ? '{"received":true}' : '{"error":"the database is down"}');
    if (!works || bot.mute || eventType !== "message" || !data.fromCustomer) return;
    // A sandbox of its own brings its token along.
    const token = String(request.headers.token ?? "acme-token");
    sim.api(SEND, { customerThreadId: String(data.customerThreadId), text }, { token }).catch(() => {});
  });
  bot.url = `${origin}/hook`;
  await sim.api("POST /api/webhooks/", { url: bot.url, subscribedEvents: ["messages"] });
  return bot;
}

import { json } from "node:stream/consumers";
import { serverOf } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { SEND } from "./calls.js";

interface Question {
  readonly fromCustomer?: boolean;
  readonly customerThreadId?: number;
}

/** A small system under test: a receiver of webhooks that answers each customer through the API. */
export interface Bot {
  /** The address of its receiver. */
  readonly url: string;
  /** What its receiver answers; 200 to begin with. */
  status: number;
  /** It answers nobody. */
  mute: boolean;
}

/** Starts a bot and subscribes it to the messages of the first organization. */
export async function startBot(sim: Running, text = "Your order is on its way."): Promise<Bot> {
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

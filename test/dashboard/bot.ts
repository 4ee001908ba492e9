import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Running } from "../support/simulator.js";

/** A webhook as a receiver gets it. */
export interface Received {
  readonly path: string;
  /** The token that the sandbox brings along, or `acme-token`. */
  readonly token: string;
  readonly isQuestion: boolean;
  readonly threadId: string;
}

/** Starts a receiver of webhooks, which answers with a status and then hears what it got; returns its address. */
export async function startReceiver(
  statusOf: (path: string) => number,
  hear: (received: Received) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    // A ping has no data.
    const { eventType, data } = (await json(request)) as {
      eventType: string;
      data?: { fromCustomer: boolean; customerThreadId: number };
    };
    const status = statusOf(path);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status < 300 ? '{"received":true}' : '{"error":"the database is down"}');
    const isQuestion = eventType === "message" && data?.fromCustomer === true;
    const threadId = String(data?.customerThreadId);
    if (status < 300) hear({ path, token: String(headers.token ?? "acme-token"), isQuestion, threadId });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A small system under test: a receiver of webhooks that answers each customer through the API. */
export interface Bot {
  /** The address of its receiver. */
  readonly url: string;
  /** What its receiver answers; 200 to begin with. */
  status: number;
}

/** Starts a bot and subscribes it to the messages of the first organization. */
export async function startBot(sim: Running, text = "Your order is on its way."): Promise<Bot> {
  const bot = { url: "", status: 200 };
  const base = await startReceiver(
    () => bot.status,
    ({ isQuestion, threadId, token }) => {
      const body = { customerThreadId: threadId, text };
      if (isQuestion) sim.api("POST /api/send-message-to-customer-thread", body, { token }).catch(() => {});
    },
  );
  bot.url = `${base}/hook`;
  await sim.api("POST /api/webhooks/", { url: bot.url, subscribedEvents: ["messages"] });
  return bot;
}

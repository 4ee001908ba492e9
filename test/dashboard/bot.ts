import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Running } from "../support/simulator.js";

/** A small system under test: a receiver of webhooks that answers each customer through the API. */
export interface Bot {
  /** The address of its receiver. */
  readonly url: string;
  /** What its receiver answers; 200 to begin with. */
  status: number;
}

/** Starts a bot and subscribes it to the messages of the first organization. */
export async function startBot(sim: Running, answer = "Your order is on its way."): Promise<Bot> {
  const bot = { url: "", status: 200 };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { eventType, data } = JSON.parse(Buffer.concat(pieces).toString());
      const works = bot.status < 300;
      response.writeHead(bot.status, { "content-type": "application/json" });
      response.end(JSON.stringify(works ? { received: true } : { error: "the database is down" }));
      if (!works || eventType !== "message" || !data.fromCustomer) return;
      const body = { customerThreadId: String(data.customerThreadId), text: answer };
      // A sandbox of its own brings its token along.
      const { token = "acme-token" } = request.headers;
      sim.api("POST /api/send-message-to-customer-thread", body, { token: String(token) }).catch(() => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  bot.url = `http://127.0.0.1:${port}/hook`;
  await sim.api("POST /api/webhooks/", {
    url: bot.url,
    subscribedEvents: ["messages"],
  });
  return bot;
}

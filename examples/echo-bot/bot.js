import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** A bot that answers each message of a customer with the same words. Its webhook may bring the API key along. */
export const createBot = (api) =>
  createServer(async (request, response) => {
    const { eventType, data } = JSON.parse(await text(request));
    response.end();
    if (eventType !== "message" || !data.fromCustomer) return;
    await fetch(`${api}/api/send-message-to-customer-thread`, {
      method: "POST",
      headers: {
        token: request.headers.token ?? process.env.MESSAGING_SIM_TOKEN,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({
        customerThreadId: String(data.customerThreadId),
        text: `You said: ${data.messageBody}`,
      }),
    });
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { MESSAGING_SIM_URL = "http://127.0.0.1:4020", PORT = "4021" } = process.env;
  createBot(MESSAGING_SIM_URL).listen(Number(PORT), "127.0.0.1");
}

/** What the programs of this folder share: a server for webhooks, and calls to the service. */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const { MESSAGING_SIM_URL, MESSAGING_SIM_TOKEN, PORT } = process.env;

// The first call of a program takes longest.
await fetch("data:,");

/** Takes each delivery: its event, the response to give, and what its signature is made of. */
export function listen(take) {
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    take(JSON.parse(bytes), response, { headers: request.headers, bytes });
  });
  server.listen(Number(PORT), "127.0.0.1", () => console.log("ready"));
}

/** Takes what the customer writes, after the webhook has its answer. */
export const onCustomer = (take) =>
  listen(({ data }, response) => {
    response.end();
    if (data.fromCustomer) take(data);
  });

export const post = (path, body, token = MESSAGING_SIM_TOKEN) =>
  fetch(MESSAGING_SIM_URL + path, {
    method: "POST",
    headers: { token, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

/** Writes to the customer of a thread. */
export const say = (thread, message, token) =>
  post("/api/send-message-to-customer-thread", { customerThreadId: String(thread), ...message }, token);

/** The reply to what the customer wrote. */
export const reply = ({ customerThreadId, messageBody }, token) =>
  say(customerThreadId, { text: `You said: ${messageBody}` }, token);

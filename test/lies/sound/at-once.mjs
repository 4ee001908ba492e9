/** Answers at once, in text or by a template where the window is closed, and only what is signed rightly, if anything is. */
import { createHmac } from "node:crypto";
import { listen, reply, say } from "../bot.mjs";

const TEMPLATE = "HX00000000000000000000000000000001";

function isGenuine({ headers, bytes }) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = headers;
  const hmac = createHmac("sha256", "bot-secret").update(`${id}.${timestamp}.`).update(bytes);
  return signature === undefined || signature === `v1,${hmac.digest("base64")}`;
}

listen(async ({ data }, response, signed) => {
  if (!isGenuine(signed)) return response.writeHead(401).end();
  response.end();
  if (!data.fromCustomer) return;
  const { status } = await reply(data);
  if (status === 400) await say(data.customerThreadId, { contentSid: TEMPLATE });
});

// Your program: answers each message of a customer. Its API key comes with each delivery, in the header `token`.
import { createServer } from "node:http";

const { PORT, SERVICE_URL } = process.env;

createServer(async (request, response) => {
  const text = Buffer.concat(await request.toArray()).toString();
  response.end();
  const { data } = text === "" ? {} : JSON.parse(text);
  if (!data?.fromCustomer) return;
  await fetch(`${SERVICE_URL}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { token: request.headers.token, "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: String(data.customerThreadId), text: "One moment, please." }),
  });
}).listen(PORT);

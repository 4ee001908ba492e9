import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json, text } from "node:stream/consumers";

/** Your web application: a page on which an employee reads what the customer of a thread writes, and replies. */
export async function startWidget({ api, token, thread }) {
  const messages = [];
  const pages = new Set();
  const show = (page, message) => page.write(`data: ${JSON.stringify(message)}\n\n`);

  const routes = {
    async "GET /"(_request, response) {
      response
        .setHeader("content-type", "text/html")
        .end(await readFile(new URL("widget.html", import.meta.url)));
    },
    "GET /messages"(_request, response) {
      response.setHeader("content-type", "text/event-stream").flushHeaders();
      pages.add(response);
      for (const message of messages) show(response, message);
    },
    async "POST /hook"(request, response) {
      const { data } = await json(request);
      response.end();
      messages.push({ from: data.fromCustomer ? "customer" : "us", text: data.messageBody });
      for (const page of pages) show(page, messages.at(-1));
    },
    async "POST /replies"(request, response) {
      const body = JSON.stringify({ customerThreadId: thread, text: await text(request) });
      const headers = { token, "content-type": "application/json" };
      const { status } = await fetch(`${api}/api/send-message-to-customer-thread`, {
        method: "POST",
        headers,
        body,
      });
      response.writeHead(status).end();
    },
  };
  const server = createServer((request, response) => {
    const route = routes[`${request.method} ${request.url}`];
    if (route === undefined) response.writeHead(404).end();
    else route(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, hook: `${url}/hook`, close };
}

/** A receiver of webhooks in this process, which keeps what it got for each sandbox: `/SANDBOX` is where that one sends. */
import { createServer } from "node:http";

export async function startReceiver() {
  /** Sandbox, then text of the message, then what came: the id of the delivery and its body. */
  const got = new Map();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(200, { "Content-Length": 0 }).end();
      const texts = got.get(request.url.slice(1)) ?? new Map();
      got.set(request.url.slice(1), texts);
      const { messageBody } = JSON.parse(body).data;
      texts.set(messageBody, [
        ...(texts.get(messageBody) ?? []),
        { id: request.headers["webhook-id"], body },
      ]);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    urlFor: (sandbox) => `http://127.0.0.1:${server.address().port}/${sandbox}`,
    has: (sandbox, text) => got.get(sandbox)?.has(text) === true,
    /** How many came more than once, how many of those do not say so, and how many ids stood for two things. */
    repeats() {
      let [repeated, unmarked, ambiguous] = [0, 0, 0];
      for (const texts of got.values()) {
        const bodies = new Map();
        for (const calls of texts.values()) {
          if (calls.length > 1) repeated += 1;
          if (calls.some(({ id, body }) => id !== calls[0].id || body !== calls[0].body)) unmarked += 1;
          for (const { id, body } of calls) {
            if (bodies.has(id) && bodies.get(id) !== body) ambiguous += 1;
            bodies.set(id, body);
          }
        }
      }
      return { repeated, unmarked, ambiguous };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Bots to begin with: each takes webhook calls and answers the customer over the API. */

import { curl } from "../lib/curl";

/** What a snippet is filled in with. */
interface SnippetValues {
  /** The address of the simulated API. */
  readonly base: string;
  readonly token: string;
  readonly threadId: string;
  /** The address at which the bot listens. */
  readonly hook: URL;
}

interface Snippet {
  readonly name: string;
  readonly file: string;
  /** How one runs it. */
  readonly run: string;
  readonly text: (values: SnippetValues) => string;
}

const SEND = "/api/send-message-to-customer-thread";
const portOf = ({ hook }: SnippetValues): string => hook.port || (hook.protocol === "https:" ? "443" : "80");
const quoted = (text: string): string => JSON.stringify(text);

const shell = ({ base, token, threadId }: SnippetValues): string => `# Read a thread.
${curl({
  method: "GET",
  url: `${base}/api/get-customer-thread-details?customerThreadId=${threadId}`,
  headers: { token },
})}

# Answer its customer, as your program does when it receives a message event.
${curl({
  method: "POST",
  url: base + SEND,
  headers: { token, "Content-Type": "application/json" },
  body: { customerThreadId: threadId, text: "Hello from curl" },
})}
`;

const node = (values: SnippetValues): string => `import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const url = ${quoted(values.base)};
const token = ${quoted(values.token)};

createServer(async (request, response) => {
  const { eventType, data } = await json(request);
  response.end();
  if (eventType !== "message" || !data.fromCustomer) return;
  await fetch(url + "${SEND}", {
    method: "POST",
    headers: { token, "Content-Type": "application/json" },
    body: JSON.stringify({
      customerThreadId: String(data.customerThreadId),
      text: "You said: " + data.messageBody,
    }),
  });
}).listen(${portOf(values)});
`;

const python = (values: SnippetValues): string => `import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import Request, urlopen

URL = ${quoted(values.base)}
TOKEN = ${quoted(values.token)}


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        data = event["data"]
        if event["eventType"] != "message" or not data["fromCustomer"]:
            return
        body = {"customerThreadId": str(data["customerThreadId"]), "text": "You said: " + data["messageBody"]}
        headers = {"token": TOKEN, "Content-Type": "application/json"}
        urlopen(Request(URL + "${SEND}", json.dumps(body).encode(), headers))


HTTPServer(("", ${portOf(values)}), Hook).serve_forever()
`;

export const SNIPPETS: readonly Snippet[] = [
  { name: "curl", file: "calls.sh", run: "sh calls.sh", text: shell },
  { name: "Node", file: "bot.mjs", run: "node bot.mjs", text: node },
  { name: "Python", file: "bot.py", run: "python3 bot.py", text: python },
];

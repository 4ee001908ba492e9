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
  readonly run: (values: SnippetValues) => string;
  readonly text: (values: SnippetValues) => string;
}

const SEND = "/api/send-message-to-customer-thread";
const portOf = ({ hook }: SnippetValues): string => hook.port || (hook.protocol === "https:" ? "443" : "80");
const quoted = (text: string): string => JSON.stringify(text);

/** A text in single quotes, in which PHP fills in nothing. */
const phpQuoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

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

const go = (values: SnippetValues): string => `package main

import (
	"bytes"
	"encoding/json"
	"log"
	"net/http"
	"strconv"
)

const url = ${quoted(values.base)}
const token = ${quoted(values.token)}

type event struct {
	EventType string \`json:"eventType"\`
	Data      struct {
		CustomerThreadID int64  \`json:"customerThreadId"\`
		FromCustomer     bool   \`json:"fromCustomer"\`
		MessageBody      string \`json:"messageBody"\`
	} \`json:"data"\`
}

func hook(w http.ResponseWriter, r *http.Request) {
	var e event
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil || e.EventType != "message" || !e.Data.FromCustomer {
		return
	}
	body, _ := json.Marshal(map[string]string{
		"customerThreadId": strconv.FormatInt(e.Data.CustomerThreadID, 10),
		"text":             "You said: " + e.Data.MessageBody,
	})
	call, _ := http.NewRequest("POST", url+"${SEND}", bytes.NewReader(body))
	call.Header.Set("token", token)
	call.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		log.Print(err)
		return
	}
	answer.Body.Close()
}

func main() {
	http.HandleFunc("/", hook)
	log.Fatal(http.ListenAndServe(":${portOf(values)}", nil))
}
`;

const java = (values: SnippetValues): string => `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

class Bot {
  static final String URL = ${quoted(values.base)};
  static final String TOKEN = ${quoted(values.token)};
  // Your program has a JSON library for this.
  static final Pattern THREAD = Pattern.compile("\\"customerThreadId\\":(\\\\d+)");

  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    var server = HttpServer.create(new InetSocketAddress(${portOf(values)}), 0);
    server.createContext("/", exchange -> {
      var event = new String(exchange.getRequestBody().readAllBytes());
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
      var thread = THREAD.matcher(event);
      if (!event.contains("\\"fromCustomer\\":true") || !thread.find()) return;
      var body = "{\\"customerThreadId\\": \\"" + thread.group(1) + "\\", \\"text\\": \\"Hello from Java\\"}";
      var call = HttpRequest.newBuilder(URI.create(URL + "${SEND}"))
          .header("token", TOKEN).header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(body)).build();
      client.sendAsync(call, BodyHandlers.discarding());
    });
    server.start();
  }
}
`;

const php = (values: SnippetValues): string => `<?php
$event = json_decode(file_get_contents("php://input"), true);
$data = $event["data"] ?? [];
if (($event["eventType"] ?? "") === "message" && $data["fromCustomer"]) {
    file_get_contents(${phpQuoted(values.base + SEND)}, false, stream_context_create(["http" => [
        "method" => "POST",
        "header" => [${phpQuoted(`token: ${values.token}`)}, "Content-Type: application/json"],
        "content" => json_encode([
            "customerThreadId" => (string) $data["customerThreadId"],
            "text" => "You said: " . $data["messageBody"],
        ]),
    ]]));
}
`;

export const SNIPPETS: readonly Snippet[] = [
  { name: "curl", file: "calls.sh", run: () => "sh calls.sh", text: shell },
  { name: "Node", file: "bot.mjs", run: () => "node bot.mjs", text: node },
  { name: "Python", file: "bot.py", run: () => "python3 bot.py", text: python },
  { name: "Go", file: "main.go", run: () => "go run main.go", text: go },
  { name: "Java", file: "Bot.java", run: () => "java Bot.java", text: java },
  { name: "PHP", file: "bot.php", run: (values) => `php -S 127.0.0.1:${portOf(values)} bot.php`, text: php },
];

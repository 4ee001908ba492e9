/** The least that a node server must do to take the same requests and give the same answers: the measure for our own. */
import { createServer } from "node:http";

const DETAILS = JSON.stringify({
  customerChannel: "WHATSAPP",
  status: "waiting",
  isMessagingWindowOpen: true,
});

const answer = (response, text) => {
  response.writeHead(200, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const mark = request.url.indexOf("?");
    if (new URLSearchParams(request.url.slice(mark + 1)).get("customerThreadId") === null) request.destroy();
    return answer(response, DETAILS);
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { text } = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof text !== "string") request.destroy();
    answer(response, "{}");
  });
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () =>
  console.log(`ready at http://127.0.0.1:${server.address().port}`),
);
process.on("SIGTERM", () => process.exit(0));

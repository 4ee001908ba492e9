// @ts-check
// A bot at a free port that registers itself and answers every customer. `argv[2]` says how it answers:
// echo, mixed (into the thread of the customer before), mute, twice, late.
import { createServer } from "node:http";

const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token = "" } = process.env;
const [, , mode = "echo"] = process.argv;
const LATE_MS = 300;

const call = (/** @type {string} */ path, /** @type {object} */ body) =>
  fetch(url + path, {
    method: "POST",
    headers: { token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const say = (/** @type {string} */ customerThreadId, /** @type {string} */ text) =>
  call("/api/send-message-to-customer-thread", { customerThreadId, text }).catch(() => {});

/** @type {string | undefined} */
let before;
const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  response.end();
  const { data } = JSON.parse(text);
  if (!data.fromCustomer || mode === "mute") return;
  const thread = String(data.customerThreadId);
  const reply = `Echo: ${data.messageBody}`;
  if (mode === "late") return void setTimeout(() => say(thread, reply), LATE_MS);
  await say(mode === "mixed" ? (before ?? thread) : thread, reply);
  if (mode === "twice") await say(thread, reply);
  before = thread;
});
server.listen(0, "127.0.0.1", async () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await call("/api/webhooks/", { url: `http://127.0.0.1:${port}/`, subscribedEvents: ["messages"] });
  console.log("ready");
});

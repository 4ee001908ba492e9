/**
 * A bot that answers after a delay and logs by its own clock how late: a customer who thinks for THINK_MS writes so long after
 * the last answer, and what waits anywhere from then on counts; the first time it counts from when the event came.
 * Usage: node bench/customers-bot.mjs DELAY_MS FILE THINK_MS
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Pool } from "undici";

const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token } = process.env;
const [delay, file, think] = process.argv.slice(2);
const pool = new Pool(url, { connections: 64, pipelining: 1 });
const headers = { token, "content-type": "application/json" };
const took = [];
/** When the next message of each thread is due. */
const due = new Map();

const post = (path, body) =>
  pool
    .request({ method: "POST", path, headers, body: JSON.stringify(body) })
    .then((answer) => answer.body.dump());

const server = createServer((request, response) => {
  const came = performance.now();
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    response.end();
    const { data } = JSON.parse(text);
    if (!data.fromCustomer) return;
    setTimeout(async () => {
      await post("/api/send-message-to-customer-thread", {
        customerThreadId: String(data.customerThreadId),
        text: data.messageBody,
      });
      const answered = performance.now();
      took.push(answered - (due.get(data.customerThreadId) ?? came));
      due.set(data.customerThreadId, answered + Number(think));
    }, Number(delay));
  });
});
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  await post("/__sim/connect", { url: `http://127.0.0.1:${port}/` });
  console.log("ready");
});
process.on("SIGTERM", () => {
  took.sort((a, b) => a - b);
  const at = (share) => Math.round(1000 * (took[Math.floor(share * took.length)] ?? 0)) / 1000;
  writeFileSync(file, JSON.stringify({ count: took.length, p50: at(0.5), p99: at(0.99) }));
  process.exit();
});

/** A bot that answers after a delay and logs its own times. Usage: node bench/customers-bot.mjs DELAY_MS FILE */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Pool } from "undici";

const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token } = process.env;
const [delay, file] = process.argv.slice(2);
const pool = new Pool(url, { connections: 64, pipelining: 1 });
const headers = { token, "content-type": "application/json" };
const took = [];

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
      took.push(performance.now() - came);
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

/** What the parts of bench/cluster.mjs share: processes on one server, and calls to them. */
import { spawn } from "node:child_process";
import http from "node:http";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { findHaproxy } from "../../scripts/programs.mjs";
import { MAIN, start } from "../processes.mjs";

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

/** A process of the simulator on both cores. */
export const serve = (...words) => serveAt(0, ...words);
export const serveAt = (port, ...words) =>
  start(MAIN, ["serve", "--port", String(port), "--log-level", "error", ...words], { core: "0,1" });

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** The proxy of deploy/ in front of processes. */
export async function startProxy(processes) {
  const variables = processes.map(({ url }, at) => [`SIMULATOR_${at + 1}`, new URL(url).host]);
  const port = await freePort();
  const env = { ...process.env, LISTEN: `127.0.0.1:${port}`, ...Object.fromEntries(variables) };
  const config = fileURLToPath(new URL("../../deploy/haproxy.cfg", import.meta.url));
  const child = spawn(findHaproxy(), ["-db", "-f", config], { env, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  while ((await call(url, "GET", "/__sim/health")).status !== 200) await pause(50);
  return { url, stop: () => child.kill() };
}

/** An answer, or status 0 where there is none; 421 is followed once, as clients do. */
export async function call(url, method, path, { body, token, again = true } = {}) {
  const answer = await new Promise((resolve) => {
    const headers = { "content-type": "application/json", ...(token && { token }) };
    const request = http.request(url + path, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", () => resolve({ status: 0, text: "" }));
    });
    request.on("error", () => resolve({ status: 0, text: "" }));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  return answer.status === 421 && again ? call(url, method, path, { body, token, again: false }) : answer;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Does `work` with each item, with so many of them at once. */
export async function inParallel(items, width, work) {
  const left = [...items];
  await Promise.all(
    Array.from({ length: Math.min(width, left.length) }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}

/** The write and the read that throughput is measured with, to a sandbox or to `default`. */
export const requestsTo = (sandbox) => {
  const headers = { token: sandbox === undefined ? "acme-token" : `${sandbox}.acme-token` };
  return {
    writes: {
      method: "POST",
      path: "/api/send-message-to-customer-thread",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ customerThreadId: "9001", text: "Hello, how can I help?" }),
    },
    reads: { method: "GET", path: "/api/get-customer-thread-details?customerThreadId=9001", headers },
  };
};

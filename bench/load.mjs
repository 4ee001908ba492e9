/** A load of one request over many kept-alive connections, cheap enough that the server is what limits it. */
import net from "node:net";

/**
 * @param {{ url: string, method: string, path: string, headers?: Record<string, string>, body?: string, connections?: number, seconds?: number, expect?: number }} options
 * @returns {Promise<{ perSecond: number, p50: number, p99: number, calls: number, statuses: Record<string, number> }>} latencies in ms
 */
export async function load({ url, method, path, headers = {}, body = "", connections = 32, seconds = 3 }) {
  const { hostname, port } = new URL(url);
  const head = {
    Host: `${hostname}:${port}`,
    ...headers,
    ...(body === "" ? {} : { "Content-Length": Buffer.byteLength(body) }),
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const latencies = [];
  const statuses = {};
  const end = performance.now() + seconds * 1000;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () =>
      connection({ hostname, port, request, end, latencies, statuses }),
    ),
  );
  const elapsed = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return {
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    calls: latencies.length,
    statuses,
  };
}

function connection({ hostname, port, request, end, latencies, statuses }) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
    let sent = 0;
    let pending = "";
    const send = () => {
      if (performance.now() >= end) return socket.end();
      sent = performance.now();
      socket.write(request);
    };
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      pending += chunk;
      const split = pending.indexOf("\r\n\r\n");
      if (split < 0) return;
      const length = /content-length: (\d+)/i.exec(pending)?.[1] ?? 0;
      if (pending.length < split + 4 + Number(length)) return;
      const status = pending.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      latencies.push(performance.now() - sent);
      pending = "";
      send();
    });
    socket.on("error", reject);
    socket.on("close", resolve);
  });
}

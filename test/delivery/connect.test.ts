import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { buildConnector, Pool } from "undici";
import { afterEach, expect, it } from "vitest";
import { connectUntil } from "../../src/sandbox/delivery/connect.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

it("keeps nothing of connections that are closed", async () => {
  const receiver = createServer((_request, response) => {
    response.writeHead(200, { Connection: "close" }).end("ok");
  }).listen(0, "127.0.0.1");
  servers.push(receiver);
  await once(receiver, "listening");
  const { port } = receiver.address() as { port: number };
  const closing = new AbortController();
  let opened = 0;
  const build: typeof buildConnector = (options) => {
    const connect = buildConnector(options);
    return (address, callback) => {
      opened += 1;
      connect(address, callback);
    };
  };
  const pool = new Pool(`http://127.0.0.1:${port}`, { connect: connectUntil(closing.signal, build, {}) });
  for (let call = 0; call < 30; call += 1) {
    const answer = await pool.request({ method: "GET", path: "/" });
    await answer.body.dump();
  }
  await pool.close();
  expect([opened, getEventListeners(closing.signal, "abort").length]).toEqual([30, 1]);
});

it("ends connections, those that are being opened included", async () => {
  // It takes connections, and never begins to speak TLS on them.
  const silent = createTcpServer(() => {}).listen(0, "127.0.0.1");
  servers.push(silent);
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const closing = new AbortController();
  const connect = connectUntil(closing.signal, buildConnector, {});
  const connected = once(silent, "connection");
  const failed = new Promise<Error | null>((resolve) => {
    connect({ hostname: "127.0.0.1", protocol: "https:", port: String(port) }, (...[error]) =>
      resolve(error),
    );
  });
  await connected;
  closing.abort();
  expect((await failed)?.name).toBe("AbortError");
});

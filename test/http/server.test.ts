import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";
import { createHttpServer, type TlsFiles } from "../../src/kernel/http/server.js";
import { soon } from "../../src/kernel/realtime.js";

async function serve(handle: RequestListener, reported: unknown[] = [], tls?: TlsFiles): Promise<number> {
  const server = createHttpServer(handle, (error) => reported.push(error), { tls });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const call = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

it("answers 500 and reports the error if a handler throws, unless it has answered", async () => {
  const reported: unknown[] = [];
  const [broken, late] = [new Error("broken"), new Error("too late")];
  const port = await serve((request, response) => {
    if (request.url === "/broken") throw broken;
    response.end("fine");
    if (request.url === "/late") throw late;
  }, reported);
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const failed = await get("/broken");
  expect(failed.status).toBe(500);
  expect(await failed.json()).toEqual({ error: "the simulator failed: this is a bug in the simulator" });
  for (const path of ["/late", "/"]) expect(await (await get(path)).text()).toBe("fine");
  expect(reported).toEqual([broken, late]);
});

it("serves pipelined calls one after the other, and other connections in between", async () => {
  const served: string[] = [];
  const port = await serve((request, response) => {
    served.push(request.url ?? "");
    soon(() => response.end("x"));
  });
  const [many, other] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  await Promise.all([once(many, "connect"), once(other, "connect")]);
  const paths = Array.from({ length: 20 }, (_, at) => `/${at}`);
  many.write(paths.map(call).join(""));
  other.write(call("/other"));
  await once(other, "data");
  expect(served.indexOf("/other")).toBeLessThan(10);
  await expect.poll(() => served.length).toBe(21);
  expect(served.filter((path) => path !== "/other")).toEqual(paths);
  many.write(call("/20") + call("/21"));
  await expect.poll(() => served.includes("/20")).toBe(true);
  for (const socket of [many, other]) socket.destroy();
});

it.each([
  ["", undefined],
  [" with TLS", certificateFor(["localhost"], Date.now()).tls],
])("stops reading a connection%s with many pipelined calls, and serves all of them", async (_, tls) => {
  const served: ServerResponse[] = [];
  const handle: RequestListener = (_request, response) => {
    if (served.push(response) > 1) response.end();
  };
  const port = await serve(handle, [], tls);
  const socket =
    tls === undefined ? connect(port, "127.0.0.1") : connectTls({ port, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  socket.write(call("/").repeat(20_000));
  const first = () => served[0]?.socket;
  await expect.poll(() => first()?.isPaused()).toBe(true);
  expect(first()?.bytesRead).toBeLessThan(500_000);
  expect(served).toHaveLength(1);
  served[0]?.end();
  await expect.poll(() => served.length).toBe(20_000);
});

it("survives a connection that is reset before its tunnel is refused", async () => {
  const nothing = () => {};
  const server = createHttpServer(nothing, nothing);
  const socket = new Duplex({ read: nothing, write: (_chunk, _encoding, done) => done() });
  server.emit("connect", {}, socket, Buffer.alloc(0));
  const closed = once(socket, "close").catch((error: Error) => error.message);
  socket.destroy(new Error("reset"));
  expect(await closed).toBe("reset");
  expect(socket.listenerCount("error")).toBeGreaterThan(0);
});

import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createHttpServer } from "../../src/kernel/http/server.js";

async function serve(handle: RequestListener, reported: unknown[]): Promise<string> {
  const server = createHttpServer(handle, (error) => reported.push(error));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("answers 500 in place of a handler that throws, reports it and goes on", async () => {
  const reported: unknown[] = [];
  const broken = new Error("broken");
  const url = await serve((request, response) => {
    if (request.url === "/broken") throw broken;
    response.end("fine");
  }, reported);
  const failed = await fetch(`${url}/broken`);
  expect(failed.status).toBe(500);
  expect(await failed.json()).toEqual({ error: "the simulator failed: this is a bug in the simulator" });
  expect(reported).toEqual([broken]);
  expect(await (await fetch(url)).text()).toBe("fine");
});

it("leaves alone what a handler had begun before it threw", async () => {
  const reported: unknown[] = [];
  const url = await serve((_request, response) => {
    response.end("begun");
    throw new Error("too late");
  }, reported);
  expect(await (await fetch(url)).text()).toBe("begun");
  expect(reported).toHaveLength(1);
});

it("outlives a connection that breaks off before its tunnel is refused", async () => {
  const server = createHttpServer(
    () => {},
    () => {},
  );
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  server.emit("connect", {}, socket, Buffer.alloc(0));
  const closed = once(socket, "close").catch((error: Error) => error.message);
  socket.destroy(new Error("reset"));
  expect(await closed).toBe("reset");
  expect(socket.listenerCount("error")).toBeGreaterThan(0);
});

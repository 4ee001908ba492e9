import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { createHttpServer } from "../../src/kernel/http/server.js";

async function serve(handle: RequestListener, reported: unknown[] = []): Promise<number> {
  const server = createHttpServer(handle, (error) => reported.push(error));
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

it("serves pipelined calls one after the other, and closes a connection with too many", async () => {
  const held: ServerResponse[] = [];
  const served: string[] = [];
  const port = await serve((request, response) => {
    served.push(request.url ?? "");
    if (request.url === "/held") held.push(response);
    else response.end(request.url);
  });
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes;
  });
  const paths = Array.from({ length: 500 }, (_, at) => `/${at}`);
  socket.write(["/held", ...paths].map(call).join(""));
  await expect.poll(() => held.length).toBe(1);
  expect(served).toEqual(["/held"]);
  held[0]?.end("/held");
  const answers = () => text.match(/(?<=\r\n\r\n)\/(?:held|\d+)/g);
  await expect.poll(() => answers()?.length).toBe(501);
  expect(answers()).toEqual(["/held", ...paths]);
  expect(served).toEqual(["/held", ...paths]);
  socket.write(call("/held").repeat(BOUNDS.pipelined.limit + 2));
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(held).toHaveLength(2);
});

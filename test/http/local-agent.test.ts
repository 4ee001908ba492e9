import { once } from "node:events";
import { createServer, type RequestListener, request, type Server } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { certificateFor } from "../../src/http/certificate.js";
import { LocalAgent } from "../../src/http/local-agent.js";
import { Http } from "../../src/scenarios/http.js";
import { createSimulator, type Simulator } from "../../src/simulator.js";

const servers: Server[] = [];
const simulators: Simulator[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  for (const simulator of simulators.splice(0)) await simulator.close();
});

async function started(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return server;
}

/** The text of the answer. */
const answerTo = (agent: LocalAgent | Simulator["agent"], path: string, body?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { agent, path, method: body === undefined ? "GET" : "POST" };
    const call = request(options, (response) => {
      let text = `${response.statusCode} `;
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    call.on("error", reject).end(body);
  });

describe("connections without sockets", () => {
  it("bring requests and answers, large ones whole, on one connection after the other", async () => {
    let connections = 0;
    const server = await started((incoming, response) => incoming.pipe(response));
    server.on("connection", () => (connections += 1));
    const agent = new LocalAgent(server);
    const large = "é".repeat(3_000_000);
    expect(await answerTo(agent, "/", large)).toBe(`200 ${large}`);
    expect(await answerTo(agent, "/", "small")).toBe("200 small");
    for (let round = 0; round < 20; round += 1) await answerTo(agent, "/", "again");
    expect(connections).toBe(1);
    const [[kept] = []] = Object.values(agent.freeSockets);
    expect(kept?.listenerCount("error")).toBeLessThan(5);
    const many = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    expect(await Promise.all(many.map((text) => answerTo(agent, "/", text)))).toEqual(
      many.map((text) => `200 ${text}`),
    );
    expect(connections).toBeLessThanOrEqual(256);
  });

  it("end on both sides when either side ends them", async () => {
    let isGone = false;
    const server = await started((incoming, response) => {
      response.on("close", () => (isGone = true));
      if (incoming.url === "/end") incoming.socket.destroy();
    });
    const agent = new LocalAgent(server);
    await expect(answerTo(agent, "/end")).rejects.toThrow("socket hang up");
    isGone = false;
    const call = request({ agent, path: "/" });
    const failed = once(call, "error");
    call.end();
    await once(server, "request");
    call.destroy(new Error("given up"));
    await failed.catch(() => {});
    await vi.waitFor(() => expect(isGone).toBe(true));
    server.closeAllConnections();
    server.close();
    await expect(answerTo(agent, "/")).rejects.toThrow("socket hang up");
  });

  it("are not needed for calls that nobody has to read", async () => {
    const closed: string[] = [];
    const server = await started((incoming, response) => {
      response.on("close", () => closed.push(incoming.url ?? ""));
      if (incoming.url === "/end") incoming.socket.destroy();
      if (incoming.url !== "/echo?x=a%20b") return;
      const { method, headers, rawHeaders } = incoming;
      incoming.setEncoding("utf8").on("data", (body: string) => {
        response.writeHead(201, [
          "Content-Type",
          "text/plain",
          "X-Seen",
          JSON.stringify({ method, headers }),
        ]);
        response.write(`${rawHeaders.length} `);
        response.end(body);
        response.end("once more");
      });
    });
    server.on("connection", () => expect.fail("needs no connection"));
    const agent = new LocalAgent(server);
    const call = (path: string) =>
      agent.call({ method: "POST", url: `https://sim.test:1${path}`, headers: { Token: "t" }, body: "é" });
    const { status, headers, text } = await call("/echo?x=a b").answer;
    expect({ status, text }).toEqual({ status: 201, text: "6 é" });
    expect(headers["content-type"]).toBe("text/plain");
    expect(JSON.parse(headers["x-seen"] ?? "")).toEqual({
      method: "POST",
      headers: { host: "sim.test:1", token: "t", "content-length": "2" },
    });
    await expect(call("/end").answer).rejects.toThrow("socket hang up");
    const givenUp = call("/never");
    givenUp.destroy(new Error("given up"));
    await expect(givenUp.answer).rejects.toThrow("given up");
    expect(closed).toEqual(["/echo?x=a%20b", "/end", "/never"]);
    server.close();
    await expect(call("/echo").answer).rejects.toThrow("socket hang up");
  });

  it("lead to a simulator, also to one that speaks TLS, and to none that is closed", async () => {
    const { tls } = certificateFor(["localhost"], Date.parse("2026-05-05T10:00:00Z"));
    for (const options of [{}, { tls }]) {
      const simulator = await createSimulator({ port: 0, ...options });
      simulators.push(simulator);
      const { host } = new URL(simulator.url);
      expect(simulator.url).toMatch("tls" in options ? /^https:/ : /^http:/);
      const path = `/api/get-customer-thread-details?customerThreadId=9001`;
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, token: "acme-token" };
        request({ agent: simulator.agent, path, headers }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        })
          .on("error", reject)
          .end();
      });
      expect(answer).toBe(200);
      const [entry] = [...simulator.registry.default.run.logs.journal.from()];
      expect(entry).toMatchObject({ path: "/api/get-customer-thread-details" });
      await simulator.close();
      await expect(answerTo(simulator.agent, "/__sim/health")).rejects.toThrow("socket hang up");
    }
  });
});

it("a control call is made once more where another process had its sandbox", async () => {
  const statuses = [421, 200, 421, 421];
  const server = await started((_, response) => response.writeHead(statuses.shift() ?? 500, {}).end());
  const { fetch } = new Http({ agent: new LocalAgent(server) });
  const call = { method: "GET", headers: {}, body: undefined, signal: undefined } as const;
  expect((await fetch("http://localhost/__sim/clock", call)).status).toBe(200);
  expect((await fetch("http://localhost/__sim/clock", call)).status).toBe(421);
  expect(statuses).toEqual([]);
});

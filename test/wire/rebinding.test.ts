/** A page whose name leads to the server (DNS rebinding) reaches neither the simulated API nor a sink; programs do. */
import { describe, expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { ask, DETAILS, SEND } from "./client.js";

const EVIL = "evil.example:4020";
const MESSAGE = JSON.stringify({ customerThreadId: "9001", text: "Hi" });
const OWN_ORIGIN = { origin: `http://${EVIL}` };
const REFUSAL = `A browser may not call this server as ${EVIL} (DNS rebinding): start it with --allow-host evil.example to accept it`;
/** What tells a browser from a program. Chromium sends only the last with a GET to the page's own origin. */
const BROWSERS: Record<string, string>[] = [
  OWN_ORIGIN,
  { origin: "null" },
  { "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
  { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0" },
];
const CALLS = [`GET ${DETAILS}`, `POST ${SEND}`, "POST /graphql", "GET /nowhere", "OPTIONS /graphql"];

const send = ({ url }: Running, line: string, headers: Record<string, string>) =>
  ask(url, line, headers, line.startsWith("POST") ? MESSAGE : "");

/** What page writes could have changed. */
const seen = async ({ registry }: Running) => {
  const { run } = registry.default;
  return {
    messages: [...run.world.all("messages")].length,
    received: Array.from(run.sinks.received("demo").from(), (call) => call.toJSON()),
  };
};

describe.each([{}, { controlToken: "secret" }])("a browser, given %o,", (options) => {
  it.each(BROWSERS)("that sends %o under a foreign name is refused and journalled", async (headers) => {
    const sim = await startSimulator(options);
    const before = await seen(sim);
    for (const line of CALLS) {
      const { status, head, body } = await send(sim, line, { host: EVIL, ...headers });
      expect([line, status, JSON.parse(body)]).toEqual([line, 403, { error: REFUSAL }]);
      expect(head).toMatch(/^x-sim-request: r\d+$/im);
      expect(head).not.toMatch(/^x-sim-behaviour/im);
    }
    const entries = [...sim.registry.default.run.logs.journal.from()];
    expect(entries.map(({ method, path, status }) => [`${method} ${path}`, status])).toEqual(
      CALLS.map((line) => [line.replace(/\?.*/, ""), 403]),
    );
    expect(await seen(sim)).toEqual(before);
  });

  it.each(BROWSERS)("that sends %o under a foreign name is refused by sinks", async (headers) => {
    const sim = await startSimulator(options);
    for (const line of ["GET /__sim/sinks/demo", "POST /__sim/sinks/demo"]) {
      const { status, body } = await send(sim, line, { host: EVIL, ...headers });
      expect([line, status]).toEqual([line, 403]);
      expect(["unknown-host", "cross-origin"]).toContain(JSON.parse(body).error.code);
    }
    expect((await seen(sim)).received).toEqual([]);
  });

  it.each(["localhost", "127.0.0.1:1", "[::1]", "sim.test:8080"])("is served under %s", async (host) => {
    const sim = await startSimulator({ ...options, allowHosts: ["sim.test"] });
    for (const headers of BROWSERS) {
      expect((await send(sim, `GET ${DETAILS}`, { host, ...headers })).status).toBe(200);
      expect((await send(sim, "GET /__sim/sinks/demo", { host, ...headers })).status).toBe(200);
    }
  });

  it("is refused unlike a program, which may use any name", async () => {
    const sim = await startSimulator(options);
    const program = { host: "api.service.example", "user-agent": "bot/1.0", "sec-fetch-mode": "cors" };
    expect((await send(sim, `GET ${DETAILS}`, program)).status).toBe(200);
    expect((await send(sim, "POST /__sim/sinks/demo", program)).status).toBe(200);
    expect((await seen(sim)).received).toMatchObject([{ method: "POST" }]);
  });
});

it("a refused call uses up no fault", async () => {
  const sim = await startSimulator();
  await sim.control("POST /faults", { on: "request", times: 1, then: { status: 503 } });
  expect((await send(sim, `GET ${DETAILS}`, { host: EVIL, ...OWN_ORIGIN })).status).toBe(403);
  expect((await send(sim, `GET ${DETAILS}`, {})).status).toBe(503);
});

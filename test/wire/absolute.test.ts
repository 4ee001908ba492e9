/** What a program sends whose environment names the simulator as a proxy (`http_proxy`). */
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { ask, DETAILS, SEND } from "./client.js";

it.each(["http://api.example:8080", "HTTP://API.example", "https://u:p@api.example"])(
  "an absolute target at %s reaches the simulated API, as the journal tells",
  async (origin) => {
    const sim = await startSimulator();
    const host = "api.example";
    expect((await ask(sim.url, `GET ${origin}${DETAILS}`, { host })).body).toContain("waiting");
    const message = JSON.stringify({ customerThreadId: "9001", text: "Through a proxy" });
    expect((await ask(sim.url, `POST ${origin}${SEND}`, { host }, message)).status).toBe(200);
    const { body: entries } = await sim.control("GET /requests");
    expect(entries).toMatchObject([
      { path: DETAILS.split("?")[0], query: { customerThreadId: "9001" }, headers: { host }, status: 200 },
      { path: SEND, status: 200, warnings: [] },
    ]);
  },
);

it.each([
  ["GET http://api.example", "GET /"],
  ["GET http://api.example?x=1", "GET /"],
  ["GET http://api.example/nowhere?http://b.example/api", "GET /nowhere"],
  ["GET http:///api/webhooks/", "GET http:///api/webhooks/"],
  ["GET ftp://api.example/api/webhooks/", "GET ftp://api.example/api/webhooks/"],
])("an absolute target %s is the unknown path of %s", async (line, expected) => {
  const { url } = await startSimulator();
  const { status, body } = await ask(url, line);
  expect([status, JSON.parse(body)]).toEqual([404, { error: `No such endpoint: ${expected}` }]);
});

it.each([
  ["HEAD http://api.example/api/webhooks/", 200],
  ["DELETE http://api.example/api/webhooks/", 405],
  ["GET http://api.example/api/webhooks/%63rm", 200],
  ["GET http://api.example//api/webhooks/", 404],
  ["OPTIONS *", 404],
])("an absolute target keeps its method and the rest of the path: %s is %i", async (line, status) => {
  const { url } = await startSimulator();
  expect((await ask(url, line)).status).toBe(status);
});

it.each([
  ["http://api.example", "api.example", 200],
  ["http://evil.example", "localhost", 403],
  ["http://localhost", "evil.example", 403],
  ["http://localhost@evil.example", "localhost", 403],
])("a page may use unknown names neither in a target nor in Host: %s, %s", async (origin, host, page) => {
  const { url } = await startSimulator({ allowHosts: ["api.example"] });
  const line = `GET ${origin}${DETAILS}`;
  expect((await ask(url, line, { host, "sec-fetch-site": "same-origin" })).status).toBe(page);
  expect((await ask(url, line, { host })).status).toBe(200);
});

it("an absolute target is in the refusal of a page", async () => {
  const { url } = await startSimulator();
  const { body } = await ask(url, `GET http://evil.example:81${DETAILS}`, { "sec-fetch-site": "none" });
  expect(JSON.parse(body).error).toMatch(/as evil\.example:81 .* --allow-host evil\.example to accept/);
});

it.each<[outcome: string, line: string, host: string, origin?: string]>([
  ["200", "GET api.example/state", "api.example"],
  ["200", "GET 127.0.0.1/state", "localhost"],
  ["unknown-host", "GET evil.example/state", "localhost"],
  ["unknown-host", "GET localhost/state", "evil.example"],
  ["unknown-route", "GET localhost/nowhere", "localhost"],
  ["200", "POST localhost/reset", "localhost", "localhost"],
  ["cross-origin", "POST localhost/reset", "localhost", "api.example"],
  ["cross-origin", "POST localhost/reset", "api.example", "api.example"],
  ["cross-origin", "POST localhost/reset", "api.example", "localhost"],
])("the control API answers %s to %s, host %s, origin %s", async (outcome, line, host, origin) => {
  const { url } = await startSimulator({ allowHosts: ["api.example"] });
  const [, method, name, path] = /^(\w+) ([^/]+)(.+)$/.exec(line) ?? [];
  const headers = { host, ...(origin && { origin: `http://${origin}` }) };
  const { status, body } = await ask(url, `${method} http://${name}/__sim${path}`, headers);
  expect(status === 200 ? "200" : JSON.parse(body).error.code).toBe(outcome);
});

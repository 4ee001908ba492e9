/** What a program sends whose environment names the simulator as a proxy (`http_proxy`). */
import { describe, expect, it } from "vitest";
import { request, talk } from "../hostile/raw.js";
import { startTarget } from "../hostile/target.js";
import { startSimulator } from "../support/simulator.js";
import { DETAILS, SEND } from "./client.js";

/** One answer to one request, which names hosts in its target and in `Host`. */
async function ask(url: string, line: string, headers: Record<string, string> = {}, body = "") {
  const { answers } = await talk(url, [request(line, headers, body)], { head: line.startsWith("HEAD ") });
  return answers[0] ?? { status: 0, head: "", body: "" };
}

describe("a target with scheme and host", () => {
  it.each(["http://api.example", "http://api.example:8080", "HTTP://API.example", "https://u:p@api.example"])(
    "at %s reaches the simulated API, as the journal tells",
    async (origin) => {
      const sim = await startSimulator();
      const host = "api.example";
      const { status, body } = await ask(sim.url, `GET ${origin}${DETAILS}`, { host });
      expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ status: "waiting" })]);
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
  ])("%s is the unknown path of %s", async (line, expected) => {
    const { url } = await startSimulator();
    const { status, body } = await ask(url, line);
    expect([status, JSON.parse(body)]).toEqual([404, { error: `No such endpoint: ${expected}` }]);
  });

  it("accepts every method, and keeps the rest of the path", async () => {
    const { url } = await startSimulator();
    const origin = "http://api.example";
    expect((await ask(url, `HEAD ${origin}/api/webhooks/`)).status).toBe(200);
    expect((await ask(url, `DELETE ${origin}/api/webhooks/`)).status).toBe(405);
    expect((await ask(url, `GET ${origin}/api/webhooks/%63rm`)).status).toBe(200);
    expect((await ask(url, `GET ${origin}//api/webhooks/`)).status).toBe(404);
    expect((await ask(url, `OPTIONS *`)).status).toBe(404);
  });

  it("is checked for its own name and for Host: a page may use unknown names in neither", async () => {
    const { url } = await startSimulator({ allowHosts: ["api.example"] });
    const browser = { "sec-fetch-site": "same-origin" };
    const statusOf = async (origin: string, host: string, headers: Record<string, string>) =>
      (await ask(url, `GET ${origin}${DETAILS}`, { host, ...headers })).status;
    for (const [origin, host, status] of [
      ["http://api.example", "api.example", 200],
      ["http://evil.example", "localhost", 403],
      ["http://localhost", "evil.example", 403],
      ["", "evil.example", 403],
      ["http://localhost@evil.example", "localhost", 403],
    ] as const) {
      expect([origin, host, await statusOf(origin, host, browser)]).toEqual([origin, host, status]);
      expect([origin, host, await statusOf(origin, host, {})]).toEqual([origin, host, 200]);
    }
    const { body } = await ask(url, `GET http://evil.example:81${DETAILS}`, browser);
    expect(JSON.parse(body).error).toMatch(/as evil\.example:81 .* --allow-host evil\.example to accept/);
  });

  it("reaches the control API only under known names, and not from a page of another origin", async () => {
    const { url } = await startSimulator({ allowHosts: ["api.example"] });
    const codeOf = async (line: string, headers: Record<string, string>) => {
      const { status, body } = await ask(url, line, headers);
      return status === 200 ? 200 : JSON.parse(body).error.code;
    };
    const health = "/__sim/state";
    expect(await codeOf(`GET http://api.example${health}`, { host: "api.example" })).toBe(200);
    expect(await codeOf(`GET http://127.0.0.1${health}`, {})).toBe(200);
    expect(await codeOf(`GET http://evil.example${health}`, {})).toBe("unknown-host");
    expect(await codeOf(`GET http://localhost${health}`, { host: "evil.example" })).toBe("unknown-host");
    expect(await codeOf("GET http://localhost/__sim/nowhere", {})).toBe("unknown-route");
    const reset = (target: string, host: string, origin: string) =>
      codeOf(`POST http://${target}/__sim/reset`, { host, origin: `http://${origin}` });
    expect(await reset("localhost", "localhost", "localhost")).toBe(200);
    expect(await reset("localhost", "localhost", "api.example")).toBe("cross-origin");
    expect(await reset("localhost", "api.example", "api.example")).toBe("cross-origin");
    expect(await reset("localhost", "api.example", "localhost")).toBe("cross-origin");
  });
});

describe("a tunnel", () => {
  it("is refused with an alternative, after the previous call was answered", async () => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      const tunnel = "CONNECT api.example:443 HTTP/1.1\r\nhost: api.example:443\r\n\r\n";
      const { answers } = await talk(target.url, [request("GET /api/webhooks/"), tunnel], { until: 3 });
      expect(answers.map(({ status }) => status)).toEqual([200, 501]);
      expect(answers[1]?.head).toMatch(/^connection: close$/im);
      const { error } = JSON.parse(answers[1]?.body ?? "");
      expect(error).toMatchObject({
        code: "no-tunnel",
        message: expect.stringContaining("messaging-sim/intercept"),
      });
    });
  });
});

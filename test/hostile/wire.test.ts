import { describe, expect, it } from "vitest";
import { HOOK } from "../conformance/support.js";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

const PATHS = [
  ...["%", "/%00", "/%E0%A4%A", "//", "///api///webhooks", "*", "?", "?customerThreadId=9001", "#"],
  "/../../etc/passwd",
  "/api/../__sim/reset",
  "/api/webhooks/..%2f..%2fetc",
  "/api/webhooks/%00/delete",
  "/api/webhooks/__proto__",
  "/api/customers/constructor/profile",
  "/api/customers/%ff/profile",
  `/api/customers/${"x".repeat(8_000)}/profile`,
  `/api/${"a/".repeat(4_000)}`,
  ...["/__proto__", "/api", "/__sim", "/__sim/", "/__sim/__proto__", "/__sim/%"],
  "/__sim/%2e%2e/%2e%2e/etc/passwd",
  "/__sim/ui/../../package.json",
  "/__sim/ui/%2e%2e/%2e%2e/package.json",
  "/__sim/ui/%00",
  "/__sim/sandboxes/constructor/state",
  "/__sim/sandboxes/%2e%2e/state",
  "/__sim/sandboxes/default/sandboxes/default/state",
  "/__sim/data/__proto__",
  "/__sim/data/constructor/name",
  "/__sim/threads/__proto__/transcript",
  "/__sim/snapshots/__proto__/restore",
  "/__sim/sinks/__proto__/received",
  "/__sim/faults/__proto__",
  "http://[",
  "http://user:pass@127.0.0.1:1/api/webhooks",
];

describe("a request line", () => {
  it.each(PATHS)("with the path %s is answered below 500 by every method", async (path) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH"]) {
        const head = method === "HEAD";
        const { answers, text } = await talk(target.url, [request(`${method} ${path}`)], { head });
        expect(answers[0]?.status, `${method} ${path}`).toBeLessThan(500);
        expect(text).not.toMatch(/node_modules|node:internal|\.[jt]s:\d/);
      }
    });
  });

  it.each(["/__simulated/health", "/__SIM/health", "x://[a"])("with %s reaches the API", async (path) => {
    const { url } = await startTarget();
    const { answers } = await talk(url, [request(`GET ${path}`)]);
    expect(answers[0]).toMatchObject({ status: 404, head: expect.stringMatching(/X-Sim-Request/i) });
  });

  it("asking for an upgrade is answered like one that does not", async () => {
    const { url } = await startTarget();
    const headers = { connection: "Upgrade", upgrade: "websocket" };
    const { answers } = await talk(url, [request("GET /api/webhooks", headers)]);
    expect(answers[0]?.status).toBe(200);
  });
});

it.each([
  ...["", "__proto__", ".", "default.acme-token", "acme-token.", "x".repeat(8_000), "ä\u00ff"],
  "acme-token, acme-token",
])("a header with the token %j is refused", async (token) => {
  const { url, control, expectUnchanged } = await startTarget();
  await control("DELETE /data/tokens/acme-token");
  await expectUnchanged(async () => {
    const { answers } = await talk(url, [request("GET /api/webhooks", { token })]);
    expect(answers[0]?.status).toBe(401);
  });
});

it.each(["a\r\nX-Injected: yes", "a\nb", "\0", "☃", "\ud800"])(
  "headers cannot be slipped into deliveries by a webhook's %j",
  async (text) => {
    const { api, expectUnchanged } = await startTarget();
    await expectUnchanged(async () => {
      for (const header of [
        { name: text, value: "x" },
        { name: "X-Fine", value: text },
      ])
        expect((await api("POST /api/webhooks", { ...HOOK, extraHeaders: [header] })).status).toBe(400);
    });
  },
);

import { describe, expect, it } from "vitest";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

describe("keys", () => {
  it("given twice count as the last one", async () => {
    const target = await startTarget();
    const { status } = await target.api(
      "POST /api/update-thread-status",
      '{"customerThreadId":"9001","status":"waiting","status":"resolved"}',
    );
    expect(status).toBe(200);
    expect((await target.control("GET /data/threads/9001")).body.status).toBe("resolved");
  });

  it("the keys of Object.prototype are fields like others and no way to defaults", async () => {
    const target = await startTarget();
    const odd =
      '{"__proto__":{"customerThreadId":"9001","status":"resolved"},"constructor":{"prototype":{"polluted":1}}}';
    await target.expectUnchanged(async () => {
      const { status, body } = await target.api("POST /api/update-thread-status", odd);
      expect(status).toBe(400);
      expect(body.body.map(({ property }: { property: string }) => property)).toContain("@.customerThreadId");
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const [entry] = (await target.control("GET /requests")).body;
    expect(Object.keys(entry.body)).toEqual(["__proto__", "constructor"]);
  });
});

describe("headers", () => {
  const odd = [
    "",
    " ",
    "__proto__",
    "constructor",
    ".",
    "default.acme-token",
    "acme-token.",
    "s.acme-token",
    "x".repeat(8_000),
    "ä\u00ff",
    "acme-token, acme-token",
  ];

  it.each(odd)("with the token %j are refused alike", async (token) => {
    const target = await startTarget();
    await target.control("PUT /sandboxes/s", {});
    await target.control("DELETE /data/tokens/acme-token");
    await target.expectUnchanged(async () => {
      const { answers } = await talk(target.url, [request("GET /api/webhooks", { token })]);
      const own = token === "s.acme-token";
      expect(answers[0]?.status).toBe(own ? 200 : 401);
    });
  });

  it("given twice are no token", async () => {
    const target = await startTarget();
    const text = "GET /api/webhooks HTTP/1.1\r\nhost: x\r\ntoken: acme-token\r\ntoken: acme-token\r\n\r\n";
    const { answers } = await talk(target.url, [text]);
    expect(answers[0]?.status).toBe(401);
  });

  const injected = ["a\r\nX-Injected: yes", "a\nb", "\0", "☃", "\ud800"];
  it.each(injected)("cannot be slipped into deliveries by a webhook's %j", async (text) => {
    const target = await startTarget();
    await target.expectUnchanged(async () => {
      for (const header of [
        { name: text, value: "x" },
        { name: "X-Fine", value: text },
      ]) {
        const webhook = {
          url: "https://bot.example/",
          subscribedEvents: ["messages"],
          extraHeaders: [header],
        };
        const { status } = await target.api("POST /api/webhooks", webhook);
        expect(status).toBe(400);
      }
    });
  });

  it("headers of the transport itself do no harm to deliveries", async () => {
    const target = await startTarget();
    const names = [
      "Content-Length",
      "Transfer-Encoding",
      "Host",
      "Connection",
      "Content-Type",
      "Expect",
      "__proto__",
      "Upgrade",
      "Trailer",
    ];
    for (const name of names) {
      const webhook = {
        url: "sink:odd",
        subscribedEvents: ["messages"],
        extraHeaders: [{ name, value: "7" }],
      };
      expect((await target.api("POST /api/webhooks", webhook)).status, name).toBe(200);
    }
    await target.control("POST /threads/9001/inbound", { text: "hello" });
    expect((await target.control("POST /wait", { for: "idle" })).status).toBe(200);
    const { body } = await target.control("GET /deliveries");
    expect(body).toHaveLength(names.length + 1);
    for (const delivery of body) expect(["delivered", "failed"]).toContain(delivery.status);
  });
});

import { describe, expect, it } from "vitest";
import { HOOK } from "../conformance/support.js";
import { propertiesIn } from "../support/problems.js";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

const STATUS = "POST /api/update-thread-status";

describe("keys", () => {
  it("given twice count as the last one", async () => {
    const { api, control } = await startTarget();
    const body = '{"customerThreadId":"9001","status":"waiting","status":"resolved"}';
    expect((await api(STATUS, body)).status).toBe(200);
    expect((await control("GET /data/threads/9001")).body.status).toBe("resolved");
  });

  it("the keys of Object.prototype are fields like others and no way to defaults", async () => {
    const { api, control, expectUnchanged } = await startTarget();
    const fields = '"__proto__":{"customerThreadId":"9001","status":"resolved"}';
    const odd = `{${fields},"constructor":{"prototype":{"polluted":1}}}`;
    await expectUnchanged(async () => {
      expect(propertiesIn(await api(STATUS, odd))).toContain("@.customerThreadId");
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const [entry] = (await control("GET /requests")).body;
    expect(Object.keys(entry.body)).toEqual(["__proto__", "constructor"]);
  });
});

describe("headers", () => {
  it.each([
    ...["", "__proto__", ".", "default.acme-token", "acme-token.", "x".repeat(8_000), "ä\u00ff"],
    "acme-token, acme-token",
  ])("with the token %j are refused alike", async (token) => {
    const { url, control, expectUnchanged } = await startTarget();
    await control("DELETE /data/tokens/acme-token");
    await expectUnchanged(async () => {
      const { answers } = await talk(url, [request("GET /api/webhooks", { token })]);
      expect(answers[0]?.status).toBe(401);
    });
  });

  it("given twice are no token", async () => {
    const { url } = await startTarget();
    const { answers } = await talk(url, [request("GET /api/webhooks", { Token: "acme-token" })]);
    expect(answers[0]?.status).toBe(401);
  });

  it.each(["a\r\nX-Injected: yes", "a\nb", "\0", "☃", "\ud800"])(
    "cannot be slipped into deliveries by a webhook's %j",
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
});

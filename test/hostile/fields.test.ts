import { describe, expect, it } from "vitest";
import { HOOK } from "../conformance/support.js";
import { request, talk } from "./raw.js";
import { startTarget } from "./target.js";

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

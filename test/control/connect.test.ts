import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

const webhook = (id: string, organizationId: string, more: object = {}) => ({
  id,
  organizationId,
  url: "https://bot.example/hook",
  subscribedEvents: ["messages"],
  ...more,
});

describe("POST /connect", () => {
  it("points every webhook at an address and reports what changed", async () => {
    const sim = await startSimulator();
    await sim.control("POST /data/webhooks", webhook("2", "300", { enabled: false, legacy: true }));
    const { status, body } = await sim.control("POST /connect", { url: "sink:bot" });
    expect(status).toBe(200);
    expect(body.webhooks).toEqual([
      {
        id: "1",
        hookId: "crm",
        organizationId: "200",
        url: "sink:bot",
        previousUrl: "sink:demo",
        token: null,
        enabled: true,
        changed: true,
        blocked: null,
      },
      expect.objectContaining({ id: "2", previousUrl: "https://bot.example/hook", enabled: false }),
    ]);
    const { body: webhooks } = await sim.control("GET /data/webhooks");
    expect(webhooks).toMatchObject([
      { id: "1", url: "sink:bot", extraHeaders: [], subscribedEvents: ["messages", "transfers"] },
      { id: "2", url: "sink:bot", enabled: false, legacy: true },
    ]);
    const again = await sim.control("POST /connect", { url: "sink:bot" });
    expect(again.body.webhooks).toMatchObject([{ changed: false }, { changed: false }]);
  });

  it("adds the organization's token as a header, replacing one of that name and keeping others", async () => {
    const sim = await startSimulator();
    const extraHeaders = [
      { name: "X-Own", value: "1" },
      { name: "TOKEN", value: "old" },
    ];
    await sim.control("PATCH /data/webhooks/1", { extraHeaders });
    await sim.control("POST /data/webhooks", webhook("2", "300"));
    const { body } = await sim.control("POST /connect", { url: "sink:bot", header: "token" });
    expect(body.webhooks).toMatchObject([{ token: "acme-token" }, { token: "globex-token" }]);
    const own = { url: "sink:other", header: "token", token: "acme-no-delete" };
    expect((await sim.control("POST /connect", own)).body.webhooks).toMatchObject([
      { token: "acme-no-delete" },
      { token: "globex-token" },
    ]);
    await sim.control("POST /connect", { url: "sink:bot", header: "token" });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
    const { body: received } = await sim.control("GET /sinks/bot/received");
    expect(received).toHaveLength(1);
    expect(received[0].headers).toMatchObject({ token: "acme-token", "x-own": "••••1" });
  });

  it("adds the API key of the sandbox, so that the receiver's calls reach it", async () => {
    const sim = await startSimulator();
    await sim.control("POST /sandboxes", { id: "s1" });
    await sim.control("POST /sandboxes/s1/connect", { url: "sink:bot", header: "X-Key" });
    await sim.control("POST /sandboxes/s1/threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /sandboxes/s1/wait", { for: "idle" });
    const { body: received } = await sim.control("GET /sandboxes/s1/sinks/bot/received");
    expect(received[0].headers).toMatchObject({ "x-key": "s1.acme-token" });
    const { body: untouched } = await sim.control("GET /data/webhooks/1");
    expect(untouched).toMatchObject({ url: "sink:demo", extraHeaders: [] });
  });

  it("creates a webhook for each organization if there is none", async () => {
    const sim = await startSimulator();
    await sim.control("DELETE /data/webhooks/1");
    const { body } = await sim.control("POST /connect", { url: "sink:bot", header: "token" });
    expect(body.webhooks).toMatchObject([
      { id: "hook-200", organizationId: "200", previousUrl: null, token: "acme-token", changed: true },
      { id: "hook-300", organizationId: "300", previousUrl: null, token: "globex-token", changed: true },
    ]);
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: { deliveries: { webhookId: "hook-200", status: "delivered" } } });
  });

  it("reports organizations without a token", async () => {
    const sim = await startSimulator();
    await sim.control("DELETE /data/tokens/globex-token");
    await sim.control("POST /data/webhooks", webhook("2", "300"));
    const { body } = await sim.control("POST /connect", { url: "sink:bot", header: "token" });
    expect(body.webhooks).toMatchObject([{ token: "acme-token" }, { id: "2", token: null, url: "sink:bot" }]);
    expect((await sim.control("GET /data/webhooks/2")).body.extraHeaders).toEqual([]);
  });
});

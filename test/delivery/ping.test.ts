import { describe, expect, it } from "vitest";
import { CERTIFICATE, KEY } from "../config/pem.js";
import { openSandbox } from "../support/simulator.js";
import { answering, deadUrl, receiver, start, tcpReceiver } from "./support.js";

async function pingOf(url: string, setup = {}) {
  const webhooks = [{ url, extraHeaders: [{ name: "x-key", value: "k" }] }];
  const { service, sandbox, log } = start({ webhooks, ...setup });
  const result = await service.ping(sandbox.run, sandbox.run.world.get("webhooks", "1")!);
  expect(log()).toEqual([]);
  return result;
}

const secureUrl = async () => (await receiver(undefined, { cert: CERTIFICATE, key: KEY })).url;
const refusing = async () => (await receiver(answering(401))).url;
const silent = () => tcpReceiver(() => {});

describe("a ping", () => {
  it("posts no event, with the webhook's headers, and signed if deliveries are", async () => {
    const { url, seen } = await receiver();
    const behaviour = { "delivery.signature": { scheme: "standard-webhooks", secrets: ["x"] } };
    const { ok, message } = await pingOf(url, { behaviour });
    expect(ok).toBe(true);
    expect(message).toContain(`${url} answers 200`);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", text: "{}" });
    expect(seen[0]?.headers).toMatchObject({ "x-sim-ping": "1", "x-key": "k", "webhook-id": "ping" });
  });

  it("reports a webhook that points back at it, and does not call itself again", async () => {
    const s = await openSandbox();
    await s.control("PATCH /data/webhooks/1", {
      url: `${s.url}/__sim/sandboxes/${s.id}/webhooks/crm/ping`,
    });
    const { status, body } = await s.control("POST /webhooks/crm/ping");
    expect([status, body.ok]).toEqual([200, false]);
    expect(body.message).toMatch(/answers 409.*a webhook points at the control API/s);
  });

  it("follows redirects if deliveries do", async () => {
    const { url, seen } = await receiver();
    const moved = await receiver((response) => response.writeHead(307, { location: `${url}/final` }).end());
    const behaviour = { "delivery.redirects": "follow" };
    expect(await pingOf(moved.url, { behaviour })).toMatchObject({ ok: true });
    expect(seen).toHaveLength(1);
    const message = expect.stringContaining("answers 307");
    expect(await pingOf(moved.url)).toMatchObject({ ok: false, message });
    const lost = await deadUrl();
    const gone = await receiver((response) => response.writeHead(308, { location: lost }).end());
    expect((await pingOf(gone.url, { behaviour })).message).toContain(
      `${new URL(lost).origin}: connection refused`,
    );
  });

  it.each([
    ["the option of the guard", async () => "https://bot.example/", "--allow-outbound bot.example"],
    ["an unknown name", async () => "http://nobody.invalid/", "the name nobody.invalid was not found"],
    ["a refused connection", deadUrl, "connection refused"],
    ["the certificate", secureUrl, "--webhook-ca"],
    ["a status that is no success", refusing, "answers 401"],
    ["a missing answer", silent, "timed out after 50 ms"],
  ])("names %s", async (_, target, text) => {
    const options = { allowOutbound: text.includes("--allow") ? [] : ["*"] };
    const behaviour = target === silent ? { "delivery.timeoutMs": 50 } : {};
    const { ok, message } = await pingOf(await target(), { options, behaviour });
    expect(ok).toBe(false);
    expect(message).toContain(text);
  });

  it("passes TLS if the certificate is trusted", async () => {
    expect(await pingOf(await secureUrl(), { options: { ca: CERTIFICATE } })).toMatchObject({ ok: true });
  });
});

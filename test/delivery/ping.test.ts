import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deadUrl, receiver, start, tcpReceiver } from "./support.js";

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");
const CERTIFICATE = { cert: pem("cert"), key: pem("key") };

async function pingOf(url: string, setup = {}) {
  const harness = start({ webhooks: [{ url, extraHeaders: [{ name: "x-key", value: "k" }] }], ...setup });
  const report = await harness.service.ping(
    harness.sandbox.run,
    harness.sandbox.run.world.get("webhooks", "1")!,
  );
  expect(harness.log()).toEqual([]);
  return {
    ...report,
    last: report.steps.at(-1),
    passed: report.steps.filter(({ ok }) => ok).map(({ step }) => step),
  };
}

describe("a ping", () => {
  it("posts no event, with the webhook's headers, and signed if deliveries are", async () => {
    const { url, seen } = await receiver();
    const behaviour = { "delivery.signature": { scheme: "standard-webhooks", secrets: ["x"] } };
    const { ok, message, passed } = await pingOf(url, { behaviour });
    expect([ok, passed]).toEqual([true, ["guard", "name", "connection", "status"]]);
    expect(message).toContain(`${url} answers 200`);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", text: "{}" });
    expect(seen[0]?.headers).toMatchObject({ "x-sim-ping": "1", "x-key": "k", "webhook-id": "ping" });
  });

  it("follows redirects if deliveries do", async () => {
    const { url, seen } = await receiver();
    const moved = await receiver((response) => response.writeHead(307, { location: `${url}/final` }).end());
    const behaviour = { "delivery.redirects": "follow" };
    expect(await pingOf(moved.url, { behaviour })).toMatchObject({ ok: true });
    expect(seen).toHaveLength(1);
    expect(await pingOf(moved.url)).toMatchObject({
      ok: false,
      message: expect.stringContaining("answers 307"),
    });
    const lost = await deadUrl();
    const gone = await receiver((response) => response.writeHead(308, { location: lost }).end());
    const { message } = await pingOf(gone.url, { behaviour });
    expect(message).toContain(`${new URL(lost).origin}: connection refused`);
  });

  it("names the option that makes the guard allow it", async () => {
    const { ok, last, message } = await pingOf("https://bot.example/");
    expect(ok).toBe(false);
    expect(last).toEqual({ step: "guard", ok: false, message });
    expect(message).toContain("--allow-outbound bot.example");
  });

  it("says that a name does not exist", async () => {
    const { last } = await pingOf("http://nobody.invalid/", { options: { allowOutbound: ["*"] } });
    expect(last).toMatchObject({
      step: "name",
      ok: false,
      message: expect.stringContaining("nobody.invalid"),
    });
  });

  it("says that nothing listens", async () => {
    const { last, passed } = await pingOf(await deadUrl());
    expect(passed).toEqual(["guard", "name"]);
    expect(last).toMatchObject({
      step: "connection",
      message: expect.stringContaining("connection refused"),
    });
  });

  it("says what is wrong with the certificate", async () => {
    const { url } = await receiver(undefined, CERTIFICATE);
    const { last, passed } = await pingOf(url);
    expect(passed).toEqual(["guard", "name", "connection"]);
    expect(last).toMatchObject({ step: "tls", message: expect.stringContaining("--webhook-ca") });
  });

  it("passes TLS if the certificate is trusted", async () => {
    const { url } = await receiver(undefined, CERTIFICATE);
    const { ok, passed } = await pingOf(url, { options: { ca: CERTIFICATE.cert } });
    expect([ok, passed]).toEqual([true, ["guard", "name", "connection", "tls", "status"]]);
  });

  it("names a status that is no success", async () => {
    const { url } = await receiver((response) => response.writeHead(401).end());
    const { last } = await pingOf(url);
    expect(last).toMatchObject({
      step: "status",
      ok: false,
      message: expect.stringContaining("answers 401"),
    });
  });

  it("says that there was no answer", async () => {
    const url = await tcpReceiver(() => {});
    const { last } = await pingOf(url, { behaviour: { "delivery.timeoutMs": 50 } });
    expect(last).toMatchObject({ step: "status", message: expect.stringContaining("timed out after 50 ms") });
  });
});

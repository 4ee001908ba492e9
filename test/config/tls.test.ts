import { describe, expect, test } from "vitest";
import { CERTIFICATE, KEY, OTHER_KEY } from "./pem.js";
import { linesOf, optionsOf } from "./resolve.js";

const files = { "c.pem": CERTIFICATE, "k.pem": KEY, "other.pem": OTHER_KEY, "text.pem": "no PEM" };

describe("certificates", () => {
  test("are read, from every source", async () => {
    const tls = { cert: CERTIFICATE, key: KEY };
    const env = { MESSAGING_SIM_TLS_CERT: "c.pem", MESSAGING_SIM_TLS_KEY: "k.pem" };
    const config = { "s.yaml": "tls-cert: c.pem\ntls-key: k.pem\nwebhook-ca: c.pem\n" };
    expect((await optionsOf(["--tls-cert=c.pem", "--tls-key=k.pem"], { files })).options.tls).toEqual(tls);
    expect((await optionsOf([], { files, env })).options.tls).toEqual(tls);
    const fromFile = await optionsOf(["--config=s.yaml"], { files: { ...files, ...config } });
    expect(fromFile.options).toMatchObject({ tls, webhookCa: CERTIFICATE });
    expect((await optionsOf(["--webhook-ca=c.pem"], { files })).options.webhookCa).toBe(CERTIFICATE);
    expect(
      (await optionsOf([], { files, env: { MESSAGING_SIM_WEBHOOK_CA: "c.pem" } })).options.webhookCa,
    ).toBe(CERTIFICATE);
  });

  test("are made where an option of any source says so", async () => {
    const config = { "s.yaml": "self-signed: true\n" };
    expect((await optionsOf([], { files })).selfSigned).toBe(false);
    expect((await optionsOf(["--self-signed"], { files })).selfSigned).toBe(true);
    expect((await optionsOf([], { files, env: { MESSAGING_SIM_SELF_SIGNED: "true" } })).selfSigned).toBe(
      true,
    );
    expect((await optionsOf(["--config=s.yaml"], { files: { ...files, ...config } })).selfSigned).toBe(true);
  });

  test.each<[string[], string[]]>([
    [
      ["--self-signed", "--tls-cert=c.pem", "--tls-key=k.pem"],
      ["--self-signed: makes a certificate, so it cannot be used with --tls-cert"],
    ],
    [["--tls-cert=text.pem", "--tls-key=k.pem"], ["--tls-cert: text.pem holds no certificate in PEM"]],
    [["--tls-cert=c.pem", "--tls-key=c.pem"], ["--tls-key: c.pem holds no private key in PEM"]],
    [
      ["--tls-cert=c.pem", "--tls-key=other.pem"],
      ["--tls-key: other.pem is not the key of the certificate c.pem"],
    ],
    [["--tls-cert=no.pem", "--tls-key=k.pem"], ["--tls-cert: cannot read no.pem: there is no such file"]],
    [["--webhook-ca=text.pem"], ["--webhook-ca: text.pem holds no certificate in PEM"]],
  ])("that cannot be used: %j", async (words, lines) => {
    expect(await linesOf(words, { files })).toEqual(lines);
  });
});

import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { certificateFor } from "../../src/kernel/http/certificate.js";

const NOW = Date.parse("2026-11-22T04:00:00Z");
const NAMES = ["localhost", "127.0.0.1", "::1", "fe80::1:2.3.4.5", "2001:db8:1:2:3:4:5:6", "api.example"];

const made = (names = NAMES) => {
  const { authority, tls } = certificateFor(names, NOW);
  return { authority: new X509Certificate(authority), server: new X509Certificate(tls.cert) };
};

describe("a certificate", () => {
  it("covers the names", () => {
    expect(made().server.subjectAltName?.split(", ")).toEqual([
      "DNS:localhost",
      "IP Address:127.0.0.1",
      "IP Address:0:0:0:0:0:0:0:1",
      "IP Address:FE80:0:0:0:0:1:203:405",
      "IP Address:2001:DB8:1:2:3:4:5:6",
      "DNS:api.example",
    ]);
  });

  it("covers thousands of names", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `name-${at}.a-longer-name.example`);
    const { server, authority } = made(many);
    expect(server.subjectAltName?.split(", ")).toHaveLength(3_000);
    expect(server.verify(authority.publicKey)).toBe(true);
  });

  it("is valid for a year, and for clocks that are a day behind", () => {
    const { authority, server } = made();
    for (const { validFrom, validTo } of [authority, server])
      expect([validFrom, validTo]).toEqual(["Nov 21 04:00:00 2026 GMT", "Nov 22 04:00:00 2027 GMT"]);
  });
});

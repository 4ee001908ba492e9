import { describe, expect, it } from "vitest";
import { signedHeaders, standardHeaders } from "../../src/delivery/headers.js";

const of = (...pairs: [string, string][]) =>
  standardHeaders(
    "sim/1",
    pairs.map(([name, value]) => ({ name, value })),
  );

describe("the headers of a delivery", () => {
  it("say what it is and who sends it", () => {
    expect(of()).toEqual({ "content-type": "application/json", "user-agent": "sim/1" });
  });

  it("take the webhook's own over those, in any case", () => {
    expect(of(["User-Agent", "bot"], ["Authorization", "Bearer x"])).toEqual({
      "content-type": "application/json",
      "User-Agent": "bot",
      Authorization: "Bearer x",
    });
  });

  it("join what the webhook names twice", () => {
    expect(of(["X-A", "1"], ["x-a", "2"])["x-a"]).toBe("1, 2");
  });

  it.each([
    "Connection",
    "content-length",
    "HOST",
    "Transfer-Encoding",
    "Expect",
    "TE",
    "Trailer",
    "Upgrade",
  ])("leave %s to the connection", (name) => {
    expect(of([name, "x"])).toEqual(of());
  });

  it("hold a name that objects have already", () => {
    expect(Object.entries(of(["__proto__", "x"]))).toContainEqual(["__proto__", "x"]);
  });

  it("give way to a signature", () => {
    expect(signedHeaders(of(["Webhook-Id", "mine"]), { "webhook-id": "d1" })).toEqual({
      ...of(),
      "webhook-id": "d1",
    });
  });
});

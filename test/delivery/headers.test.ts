import { describe, expect, it } from "vitest";
import { requestHeaders } from "../../src/sandbox/delivery/headers.js";

const extra = (...pairs: [string, string][]) => pairs.map(([name, value]) => ({ name, value }));
const of = (...pairs: [string, string][]) => requestHeaders("sim/1", extra(...pairs));

describe("the headers of a delivery", () => {
  it("have a content type and a user agent", () => {
    expect(of()).toEqual({ "content-type": "application/json", "user-agent": "sim/1" });
  });

  it("give way to the webhook's own, in any case", () => {
    expect(of(["User-Agent", "bot"], ["Authorization", "Bearer x"])).toEqual({
      "content-type": "application/json",
      "User-Agent": "bot",
      Authorization: "Bearer x",
    });
  });

  it("join repeated headers", () => {
    expect(of(["X-A", "1"], ["x-a", "2"])["x-a"]).toBe("1, 2");
  });

  it("have the last Host of the webhook", () => {
    expect(of(["Host", "a.example"])).toMatchObject({ Host: "a.example" });
    expect(of(["Host", "a.example"], ["HOST", "b.example"])).toEqual({ ...of(), HOST: "b.example" });
  });

  it("may be named like a property of every object", () => {
    expect(Object.entries(of(["__proto__", "x"]))).toContainEqual(["__proto__", "x"]);
  });

  it("give way to a fault's headers, and these to a signature", () => {
    const fault = { "webhook-id": "odd", "x-a": "2", Host: "x" };
    const signature = { "webhook-id": "d1" };
    const own = extra(["Webhook-Id", "mine"], ["X-A", "1"], ["x-b", "3"]);
    expect(requestHeaders("sim/1", own, fault, signature)).toEqual({
      ...of(),
      "webhook-id": "d1",
      "x-a": "2",
      "x-b": "3",
      Host: "x",
    });
    expect(requestHeaders("sim/1", own, undefined, undefined)).toEqual({
      ...of(),
      "Webhook-Id": "mine",
      "X-A": "1",
      "x-b": "3",
    });
  });
});

import { expect, it } from "vitest";
import { requestHeaders } from "../../src/sandbox/delivery/attempt.js";

const extra = (...pairs: [string, string][]) => pairs.map(([name, value]) => ({ name, value }));
const of = (...pairs: [string, string][]) => requestHeaders("sim/1", extra(...pairs));

it("the headers of a delivery have a content type and a user agent, unless the webhook has its own, in any case", () => {
  const standard = { "content-type": "application/json", "user-agent": "sim/1" };
  expect(of()).toEqual(standard);
  const own = { "User-Agent": "bot", Authorization: "Bearer x" };
  expect(of(...Object.entries(own))).toEqual({ "content-type": "application/json", ...own });
});

it("the headers of a delivery join repeated headers, but for Host, whose last value counts", () => {
  expect(of(["X-A", "1"], ["x-a", "2"])["x-a"]).toBe("1, 2");
  expect(of(["Host", "a.example"])).toMatchObject({ Host: "a.example" });
  expect(of(["Host", "a.example"], ["HOST", "b.example"])).toEqual({ ...of(), HOST: "b.example" });
});

it("the headers of a delivery may be named like a property of every object", () => {
  expect(Object.entries(of(["__proto__", "x"]))).toContainEqual(["__proto__", "x"]);
});

it("the headers of a delivery give way to a fault's headers, and these to a signature", () => {
  const fault = { "webhook-id": "odd", "x-a": "2", Host: "x" };
  const own = { "Webhook-Id": "mine", "X-A": "1", "x-b": "3" };
  const given = extra(...Object.entries(own));
  expect(requestHeaders("sim/1", given, fault, { "webhook-id": "d1" })).toEqual({
    ...of(),
    "webhook-id": "d1",
    "x-a": "2",
    "x-b": "3",
    Host: "x",
  });
  expect(requestHeaders("sim/1", given, undefined, undefined)).toEqual({ ...of(), ...own });
});

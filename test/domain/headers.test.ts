import { describe, expect, it } from "vitest";
import { isSendable, omittedHeaders } from "../../src/service/domain/webhooks.js";

const KEPT_BY_HTTP = [
  "Connection",
  "Content-Length",
  "Expect",
  "Keep-Alive",
  "Proxy-Connection",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
];
const SENDABLE = ["Authorization", "Content-Type", "Host", "X-Connection", "Trailers", ""];
const headers = (...names: string[]) => names.map((name) => ({ name, value: "v" }));

describe("a header of a webhook", () => {
  it.each(KEPT_BY_HTTP)("%s is HTTP's own, however it is written", (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(isSendable(written)).toBe(false);
      expect(omittedHeaders(headers(written))).toStrictEqual([written]);
    }
  });

  it.each(SENDABLE)("%j is the sender's", (name) => {
    expect(isSendable(name)).toBe(true);
    expect(omittedHeaders(headers(name))).toStrictEqual([]);
  });
});

describe("the headers that deliveries go without", () => {
  it.each([
    [undefined, []],
    [false, []],
    [true, ["HOST"]],
  ])("have the host among them where they go to a sink: %j", (toSink, omitted) => {
    expect(omittedHeaders(headers("X-A", "HOST", "host"), toSink)).toStrictEqual(omitted);
    expect(omittedHeaders(headers("X-Host", "TE"), toSink)).toStrictEqual(["TE"]);
  });
});

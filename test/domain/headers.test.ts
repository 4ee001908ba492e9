import { expect, it } from "vitest";
import { isSendable, omittedHeaders } from "../../src/service/domain/webhooks.js";

const OF_HTTP =
  "Connection Content-Length Expect Keep-Alive Proxy-Connection TE Trailer Transfer-Encoding Upgrade".split(
    " ",
  );
const headers = (...names: string[]) => names.map((name) => ({ name, value: "v" }));

it.each(OF_HTTP)("the header %s is HTTP's own, however it is written", (name) => {
  for (const written of [name, name.toLowerCase(), name.toUpperCase()]) {
    expect(isSendable(written)).toBe(false);
    expect(omittedHeaders(headers(written))).toStrictEqual([written]);
  }
});

it.each(["Authorization", "Content-Type", "Host", "X-Connection", "Trailers", ""])(
  "the header %j is the sender's",
  (name) => {
    expect(isSendable(name)).toBe(true);
    expect(omittedHeaders(headers(name))).toStrictEqual([]);
  },
);

it.each([
  [undefined, []],
  [false, []],
  [true, ["HOST"]],
])("deliveries go without the host where they go to a sink: %j", (toSink, omitted) => {
  expect(omittedHeaders(headers("X-A", "HOST", "host"), toSink)).toStrictEqual(omitted);
  expect(omittedHeaders(headers("X-Host", "TE"), toSink)).toStrictEqual(["TE"]);
});

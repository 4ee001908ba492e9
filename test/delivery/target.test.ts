import { expect, it } from "vitest";
import { OutboundGuard, Targets } from "../../src/sandbox/delivery/target.js";

const OWN = "http://127.0.0.1:4020";

const resolve = (url: string, rewrites: [string, string][] = [], sandbox = "default") =>
  new Targets(
    OWN,
    new OutboundGuard([]),
    rewrites.map(([from, to]) => ({ from, to })),
  ).resolve(url, sandbox);

it("the target of a webhook is where its URL says", () => {
  expect(resolve("https://localhost:8443/a/b?c=1#d")).toEqual({
    target: {
      origin: "https://localhost:8443",
      hostname: "localhost",
      path: "/a/b?c=1",
      url: "https://localhost:8443/a/b?c=1#d",
      isOwn: false,
      host: undefined,
    },
  });
});

it("the target of a webhook is the sandbox's own sink for sink:NAME", () => {
  expect(resolve("sink:demo")).toMatchObject({ target: { origin: OWN, path: "/__sim/sinks/demo" } });
  expect(resolve("sink:demo", [], "s1")).toMatchObject({
    target: { origin: OWN, path: "/__sim/sandboxes/s1/sinks/demo" },
  });
});

it.each([
  ["http://localhost:3000/x", "localhost", "bot", "http://bot:3000", "localhost:3000"],
  ["http://localhost:3000/x", "localhost:3000", "bot:81", "http://bot:81", "localhost:3000"],
  ["https://localhost/x", "localhost:443", "bot:8443", "https://bot:8443", "localhost"],
  ["http://LOCALHOST/x", "localhost:80", "10.0.0.1", "http://10.0.0.1", "localhost"],
  ["http://[::1]:3000/x", "[::1]:3000", "127.0.0.1", "http://127.0.0.1:3000", "[::1]:3000"],
  ["http://localhost:3000/x", "localhost", "::1", "http://[::1]:3000", "localhost:3000"],
  ["https://bot.example/x", "bot.example", "127.0.0.1:3000", "https://127.0.0.1:3000", "bot.example"],
])("the target of %s with %s=%s is %s, the Host %s", (url, from, to, origin, host) => {
  expect(resolve(url, [[from, to]])).toMatchObject({ target: { origin, host, path: "/x" } });
});

it("the target of a webhook is rewritten by the first matching rule only", () => {
  const rules: [string, string][] = [
    ["localhost:1", "a"],
    ["localhost", "b"],
    ["localhost", "c"],
  ];
  expect(resolve("http://localhost:2/", rules)).toMatchObject({ target: { origin: "http://b:2" } });
  expect(resolve("http://other:2/", rules)).toMatchObject({
    target: { origin: "http://other:2", host: undefined },
  });
  expect(resolve("sink:demo", [["127.0.0.1", "b"]])).toMatchObject({ target: { origin: OWN } });
});

it("the target of a webhook is checked by the guard after rewriting", () => {
  expect(resolve("http://localhost/", [["localhost", "bot.example"]])).toMatchObject({
    blocked: expect.stringContaining("--allow-outbound bot.example"),
  });
});

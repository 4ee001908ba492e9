import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createAccess } from "../../src/control/access.js";
import type { ControlError } from "../../src/control/errors.js";
import { HostNames } from "../../src/kernel/http/target.js";
import { startSimulator } from "../support/simulator.js";

type Headers = Record<string, string>;

const call = (method: string, headers: Headers, ...sent: string[]) =>
  ({ method, headers, headersDistinct: { host: sent } }) as unknown as IncomingMessage;

interface Options {
  readonly host?: string;
  readonly allowHosts?: string[];
  readonly controlToken?: string;
}

/** `ok` for a call that is allowed, otherwise the code of its refusal. */
function verdict(
  { host = "127.0.0.1", allowHosts = [], controlToken }: Options,
  method: string,
  headers: Headers,
): string {
  try {
    createAccess({ controlToken, names: new HostNames(host, allowHosts) }).check(call(method, headers));
    return "ok";
  } catch (error) {
    return (error as ControlError).code;
  }
}

describe("the Host header", () => {
  it.each([
    ["127.0.0.1:4020", "ok"],
    ["10.1.2.3", "ok"],
    ["localhost:4020", "ok"],
    ["LOCALHOST.", "ok"],
    ["[::1]:4020", "ok"],
    ["[::1]", "ok"],
    ["sim.test:4020", "ok"],
    ["other.test", "ok"],
    ["listening", "ok"],
    ["evil.example", "unknown-host"],
    ["127.0.0.1.evil.example", "unknown-host"],
    ["localhost.evil.example:4020", "unknown-host"],
    ["", "unknown-host"],
  ])("%s: %s", (host, expected) => {
    const options = { host: "listening", allowHosts: ["sim.test", "Other.test:80"] };
    expect(verdict(options, "GET", { host })).toBe(expected);
  });

  it.each([
    ["evil.example:80", ": start it with --allow-host evil.example to accept it"],
    ["", ""],
    ["localhost@evil.example", ""],
  ])("is in the refusal of %j, with the option that accepts a name", (host, hint) => {
    const { check } = createAccess({ names: new HostNames("127.0.0.1") });
    const message = `"${host}" is not a name of this server${hint}`;
    expect(() => check(call("GET", { host }))).toThrow(expect.objectContaining({ message }));
  });

  it("is not checked if a control token is set", () => {
    const headers = { host: "evil.example", authorization: "Bearer secret" };
    expect(verdict({ controlToken: "secret" }, "GET", headers)).toBe("ok");
  });

  it("can be checked on its own", () => {
    const names = new HostNames("127.0.0.1");
    expect(names.unknownOf(call("GET", { host: "localhost" }))).toBeUndefined();
    expect(names.unknownOf(call("GET", { host: "evil.example" }))).toBe("evil.example");
    expect(names.unknownOf(call("GET", { host: "localhost" }, "evil.example"))).toBe("evil.example");
  });
});

describe("the control token", () => {
  it.each([
    ["Bearer secret", "ok"],
    ["bearer  secret", "ok"],
    ["Bearer Secret", "unauthorized"],
    ["Bearer secret2", "unauthorized"],
    ["Bearer ", "unauthorized"],
    ["Basic secret", "unauthorized"],
    ["secret", "unauthorized"],
  ])("%s: %s", (authorization, expected) => {
    expect(verdict({ controlToken: "secret" }, "GET", { host: "localhost", authorization })).toBe(expected);
  });

  it("is required", () => {
    expect(verdict({ controlToken: "secret" }, "GET", { host: "localhost" })).toBe("unauthorized");
  });
});

describe("writes from a browser", () => {
  const host = "localhost:4020";
  it.each<[string, Headers, string]>([
    ["POST", { host, origin: "http://localhost:4020" }, "ok"],
    ["POST", { host: "sim.test:80", origin: "http://sim.test" }, "ok"],
    ["POST", { host, "sec-fetch-site": "same-origin" }, "ok"],
    ["POST", { host, "sec-fetch-site": "none" }, "ok"],
    ["POST", { host }, "ok"],
    ["POST", { host, origin: "http://localhost:3000" }, "cross-origin"],
    ["POST", { host, origin: "https://evil.example" }, "cross-origin"],
    ["POST", { host, origin: "null" }, "cross-origin"],
    ["POST", { host, origin: "file://" }, "cross-origin"],
    ["DELETE", { host, "sec-fetch-site": "cross-site" }, "cross-origin"],
    ["PUT", { host, "sec-fetch-site": "same-site" }, "cross-origin"],
    ["PUT", { host, "sec-fetch-site": "Same-Origin, cross-site" }, "cross-origin"],
    ["PUT", { host, "sec-fetch-site": "" }, "cross-origin"],
    ["POST", { host, origin: "" }, "cross-origin"],
    ["GET", { host, origin: "https://evil.example" }, "ok"],
    ["HEAD", { host, "sec-fetch-site": "cross-site" }, "ok"],
  ])("%s %o: %s", (method, headers, expected) => {
    expect(verdict({ allowHosts: ["sim.test"] }, method, headers)).toBe(expected);
  });

  it("are refused even with the control token", () => {
    const headers = { host, origin: "https://evil.example", authorization: "Bearer secret" };
    expect(verdict({ controlToken: "secret" }, "POST", headers)).toBe("cross-origin");
  });
});

it("a refusal says how to send the token", async () => {
  const { control } = await startSimulator({ controlToken: "secret" });
  const refused = await control("GET /clock");
  expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer/);
  expect(refused.body.error).toMatchObject({ code: "unauthorized", details: [] });
});

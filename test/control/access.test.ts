import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createAccess } from "../../src/control/access.js";
import type { ControlError } from "../../src/control/errors.js";
import { HostNames } from "../../src/kernel/http/target.js";

type Headers = Record<string, string>;

const names = new HostNames("listening", ["sim.test", "Other.test:80"]);

/** The refusal of a call, or `ok`. */
function verdict(method: string, headers: Headers, controlToken?: string): { code: string } {
  const call = { method, headers, headersDistinct: {} } as unknown as IncomingMessage;
  try {
    createAccess({ controlToken, names }).check(call);
    return { code: "ok" };
  } catch (error) {
    return error as ControlError;
  }
}

it.each([
  "127.0.0.1:4020",
  "10.1.2.3",
  "localhost:4020",
  "LOCALHOST.",
  "[::1]:4020",
  "[::1]",
  "sim.test:4020",
  "other.test",
  "listening",
])("the name %s is the server's own", (host) => {
  expect(verdict("GET", { host }).code).toBe("ok");
});

it.each([
  ["evil.example:80", ": start it with --allow-host evil.example to accept it"],
  ["127.0.0.1.evil.example", ": start it with --allow-host 127.0.0.1.evil.example to accept it"],
  ["localhost.evil.example:4020", ": start it with --allow-host localhost.evil.example to accept it"],
  ["", ""],
  ["localhost@evil.example", ""],
])("the name %j is not, and the refusal says how to allow it, where it can be", (host, hint) => {
  const message = `"${host}" is not a name of this server${hint}`;
  expect(verdict("GET", { host })).toMatchObject({ code: "unknown-host", message });
});

it.each([
  ["Bearer secret", "ok"],
  ["bearer  secret", "ok"],
  ["Bearer Secret", "unauthorized"],
  ["Bearer secret2", "unauthorized"],
  ["Bearer ", "unauthorized"],
  ["Basic secret", "unauthorized"],
  ["secret", "unauthorized"],
])("%s as the control token, under any name: %s", (authorization, expected) => {
  expect(verdict("GET", { host: "evil.example", authorization }, "secret").code).toBe(expected);
});

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
])("from a browser, %s %o: %s", (method, headers, expected) => {
  expect(verdict(method, headers).code).toBe(expected);
});

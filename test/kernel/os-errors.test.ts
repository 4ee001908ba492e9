import { expect, it } from "vitest";
import { hasCode, reasonOf } from "../../src/kernel/errors.js";

const refused = (code: string, message = `${code}: as the system says it`) =>
  Object.assign(new Error(message), { code });

it.each([
  ["a part of its path is not a folder", "ENOTDIR"],
  ["permission denied", "EACCES", "EPERM"],
  ["too many open files", "EMFILE"],
  ["the connection was closed", "ECONNRESET", "EPIPE"],
  ["the connection was closed before the answer was complete", "UND_ERR_SOCKET"],
  ["the connection timed out", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"],
  ["the host name cannot be resolved", "EAI_AGAIN"],
  ["the host is unreachable", "EHOSTUNREACH"],
  ["the network is unreachable", "ENETUNREACH"],
  ["its certificate is self-signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["its certificate is signed by an unknown authority", "SELF_SIGNED_CERT_IN_CHAIN"],
  ["its certificate is signed by an unknown authority", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ["its certificate has expired", "CERT_HAS_EXPIRED"],
  ["its certificate is for another host", "ERR_TLS_CERT_ALTNAME_INVALID"],
])("says %j for %s", (words, ...codes) => {
  expect(codes.map((code) => reasonOf(refused(code)))).toEqual(codes.map(() => words));
});

const piped = Object.assign(refused("EPIPE"), { cause: new Error("c") });
const attempts = new AggregateError([refused("EPIPE"), refused("ENOENT")], "all");

it.each<[string, unknown, string]>([
  ["that has no code", new Error("no luck"), "no luck"],
  ["with an unknown code", refused("EWHAT", "what"), "what"],
  ["with a code that is not a string", Object.assign(new Error("odd"), { code: 5 }), "odd"],
  ["with a cause", new Error("fetch failed", { cause: refused("ENOTFOUND") }), "the host name is unknown"],
  ["with a cause of a cause", new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "c"],
  ["whose own code says it", piped, "the connection was closed"],
  ["with a cause that is not an error", new Error("a", { cause: "b" }), "a"],
  ["of several attempts", attempts, "the connection was closed"],
  ["of no attempts", new AggregateError([], "all"), "all"],
  ["that is a text", "no error", "no error"],
  ["that is nothing", undefined, "undefined"],
  ["that only looks like one", { code: "ENOENT" }, "[object Object]"],
])("gives the cause of an error %s", (_, error, words) => {
  expect(reasonOf(error)).toBe(words);
});

it("finds the code of an error only", () => {
  const others = [refused("EPERM"), new Error("ENOENT"), { code: "ENOENT" }, "ENOENT", undefined];
  const found = [refused("ENOENT"), ...others].map((error) => hasCode(error, "ENOENT"));
  expect(found).toEqual([true, ...others.map(() => false)]);
});

import { expect, it } from "vitest";
import { hasCode, reasonOf } from "../../src/kernel/errors.js";

const refused = (code: string, message = `${code}: as the system says it`) =>
  Object.assign(new Error(message), { code });

it.each([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "a part of its path is not a folder"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EMFILE", "too many open files"],
  ["ECONNREFUSED", "connection refused, nothing is listening there"],
  ["ECONNRESET", "the connection was closed"],
  ["EPIPE", "the connection was closed"],
  ["UND_ERR_SOCKET", "the connection was closed"],
  ["ETIMEDOUT", "the connection timed out"],
  ["UND_ERR_CONNECT_TIMEOUT", "the connection timed out"],
  ["ENOTFOUND", "the host name is unknown"],
  ["EAI_AGAIN", "the host name cannot be resolved"],
  ["EHOSTUNREACH", "the host is unreachable"],
  ["ENETUNREACH", "the network is unreachable"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is signed by an unknown authority"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate is signed by an unknown authority"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
])("puts %s into words: %s", (code, words) => {
  expect(reasonOf(refused(code))).toBe(words);
});

it.each<[string, unknown, string]>([
  ["that has no code", new Error("no luck"), "no luck"],
  ["with an unknown code", refused("EWHAT", "what"), "what"],
  ["with a code that is not a string", Object.assign(new Error("odd"), { code: 5 }), "odd"],
  ["with a cause", new Error("fetch failed", { cause: refused("ENOTFOUND") }), "the host name is unknown"],
  ["with a cause of a cause", new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "c"],
  [
    "whose own code says it",
    Object.assign(refused("EPIPE"), { cause: new Error("c") }),
    "the connection was closed",
  ],
  ["with a cause that is not an error", new Error("a", { cause: "b" }), "a"],
  [
    "of several attempts",
    new AggregateError([refused("ECONNREFUSED"), refused("EPIPE")], "all"),
    "connection refused, nothing is listening there",
  ],
  ["of no attempts", new AggregateError([], "all"), "all"],
  ["that is a text", "no error", "no error"],
  ["that is nothing", undefined, "undefined"],
  ["that only looks like one", { code: "ENOENT" }, "[object Object]"],
])("gives the cause of an error %s", (_, error, words) => {
  expect(reasonOf(error)).toBe(words);
});

it.each<[unknown, boolean]>([
  [refused("ENOENT"), true],
  [refused("EPERM"), false],
  [new Error("ENOENT"), false],
  [{ code: "ENOENT" }, false],
  ["ENOENT", false],
  [undefined, false],
])("%j has the code ENOENT: %s", (error, expected) => {
  expect(hasCode(error, "ENOENT")).toBe(expected);
});

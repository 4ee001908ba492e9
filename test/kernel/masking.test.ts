import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import {
  isCredentialName,
  isSecretName,
  masked,
  maskedAddress,
  maskedSecret,
  maskedText,
  unmasked,
} from "../../src/kernel/masking.js";

describe("maskedAddress", () => {
  it.each([
    ["https://bot.example/hook?page=2", "https://bot.example/hook?page=2"],
    ["https://user:pa@ss@bot.example:8443/", "https://user:••••ss@bot.example:8443/"],
    ["https://token@bot.example", "https://••••en@bot.example"],
    ["https://bot.example/a@b?x=c@d", "https://bot.example/a@b?x=c@d"],
    [
      "https://bot.example/?next=http://user:pass@shop.example/a@b",
      "https://bot.example/?next=http://user:••••ss@shop.example/a@b",
    ],
    ["https://bot.example?x=1;access_token=s3cret", "https://bot.example?x=1;access_token=••••et"],
    ["https://bot.example/#id_token=2", "https://bot.example/#id_token=••••2"],
    ["https://bot.example/?%6Bey=s3&%=3", "https://bot.example/?%6Bey=••••s3&%=3"],
    ["http:\\\\user:pass@bot.example", "http:\\\\user:••••ss@bot.example"],
    ["https://bot.example/?key=secret&page=12#sig=abc", "https://bot.example/?key=••••et&page=12#sig=••••bc"],
    ["sink:demo", "sink:demo"],
    ["no address", "no address"],
  ])("%s: %s", (address, masked) => {
    expect(maskedAddress(address)).toBe(masked);
    expect(maskedAddress(masked)).toBe(masked);
  });
});

it("maskedText masks each address in a text", () => {
  expect(maskedText('see "ws://a:bcd@c/?pwd=123", or http://d/?key=234 and so on')).toBe(
    'see "ws://a:••••cd@c/?pwd=••••23", or http://d/?key=••••34 and so on',
  );
});

it("headers and parameters are masked by name, and addresses in all of them", () => {
  const values = { Authorization: "Bearer a", token: "bcd", "x-key": "efg", link: "http://c:dd@e/", n: null };
  const rest = { token: "bcd", link: "http://c:••••dd@e/", n: null };
  expect(masked({ headers: values })).toEqual({
    headers: { Authorization: "•••• a", "x-key": "••••fg", ...rest },
  });
  expect(masked({ query: values })).toEqual({ query: { Authorization: "•••• a", "x-key": "efg", ...rest } });
});

const HEADERS = [{ name: "x-a", value: "Bearer s3cret" }];

it.each<[unknown, unknown]>([
  // A difference shows whole parts of a record.
  [
    { path: "body.extraHeaders", expected: [], seen: HEADERS },
    { path: "body.extraHeaders", expected: [], seen: [{ name: "x-a", value: "••••et" }] },
  ],
  [
    { path: "extraHeaders[0]", expected: { $any: "string" }, seen: HEADERS[0] },
    { path: "extraHeaders[0]", expected: { $any: "••••ng" }, seen: { name: "x-a", value: "••••et" } },
  ],
  [
    { path: "extraHeaders[0].value", expected: "x-secret", seen: "s3cret" },
    { path: "extraHeaders[0].value", expected: "••••et", seen: "••••et" },
  ],
  [
    { path: "headers.cookie", expected: { $absent: true }, seen: "s3cret" },
    { path: "headers.cookie", expected: { $absent: true }, seen: "••••et" },
  ],
  [
    { path: "body", expected: 1, seen: { secrets: ["s3cret"], text: "t" } },
    { path: "body", expected: 1, seen: { secrets: ["••••et"], text: "t" } },
  ],
  [
    { path: '["\\x"].a', seen: "b" },
    { path: '["\\x"].a', seen: "b" },
  ],
  [
    { path: "a.".repeat(100_000), seen: "b" },
    { path: "a.".repeat(100_000), seen: "b" },
  ],
  // A problem quotes the value.
  [
    { property: "@.extraHeaders[0].value", message: 'must match [x], but is equal to "s3"cret"' },
    { property: "@.extraHeaders[0].value", message: 'must match [x], but is equal to "••••et"' },
  ],
  [
    { path: "webhooks[0].url", message: 'must be a URL, but is "http:u:s3cret@h"' },
    { path: "webhooks[0].url", message: 'must be a URL, but is "http:u:••••et@h"' },
  ],
  [
    { path: "name", message: 'must be x, but is "y"' },
    { path: "name", message: 'must be x, but is "y"' },
  ],
  // A body that is not JSON.
  [
    { body: `{"url":"u","extraHeaders":${JSON.stringify(HEADERS)},}` },
    { body: '{"url":"u","extraHeaders":[{"••••me":"••••-a","••••ue":"••••er ••••et"}],}' },
  ],
  // A receiver that repeats the headers.
  [
    {
      headers: { "X-A": "Bearer s3cret-s3cret", "x-b": "ok" },
      secretHeaders: ["x-a", "x-b"],
      attempts: [
        { responseBody: 'ok: {"x-a":"Bearer s3cret-s3cret","key":"s3cret-s3cret"}' },
        { responseBody: null },
      ],
    },
    {
      headers: { "X-A": "••••et", "x-b": "••••ok" },
      secretHeaders: ["x-a", "x-b"],
      attempts: [{ responseBody: 'ok: {"x-a":"••••et","key":"••••et"}' }, { responseBody: null }],
    },
  ],
  [
    { extraHeaders: { authorization: "s3cret", value: "s3cret" } },
    { extraHeaders: { authorization: "••••et", value: "••••et" } },
  ],
])("masked(%j)", (value, shown) => {
  expect(masked(value)).toEqual(shown);
  expect(masked(shown)).toEqual(shown);
});

/** What URL parsers accept as a password. */
const password = fc
  .string({ minLength: 3, maxLength: 12, unit: fc.constantFrom(..."aB9'\"<>:@;=&,.(){}|^`!$*+%-_~€") })
  .filter((text) => URL.canParse(`http://u:${text}@h.example/`));

it("passwords in URLs are never shown, in addresses or texts", () => {
  fc.assert(
    fc.property(password, fc.constantFrom("://", ":///", ":/\\", ":\\\\"), (secret, slashes) => {
      const address = (shown: string) => `http${slashes}bot:${shown}@127.0.0.1:9/h`;
      const [url, hidden] = [address(secret), address(maskedSecret(secret))];
      expect(masked({ url, text: `see ${url}` })).toEqual({ url: hidden, text: `see ${hidden}` });
      expect(maskedText(`failed: ${url} is gone`)).toBe(`failed: ${hidden} is gone`);
      const json = JSON.stringify({ url });
      expect(maskedText(json)).not.toContain(json.slice(json.indexOf("bot:"), json.indexOf("@127")));
    }),
  );
});

it("a masked record that is written back keeps the stored secrets", () => {
  const stored = {
    url: "https://u:s3cret@bot.example/?key=k3y",
    extraHeaders: [
      { name: "Authorization", value: "Bearer one" },
      { name: "X-A", value: "first" },
      { name: "X-A", value: "second" },
    ],
    secrets: ["whsec_aaaa", "whsec_bbbb"],
  };
  const shown = masked(stored) as typeof stored;
  expect(shown).toEqual({
    url: "https://u:••••et@bot.example/?key=••••3y",
    extraHeaders: [
      { name: "Authorization", value: "••••ne" },
      { name: "X-A", value: "••••st" },
      { name: "X-A", value: "••••nd" },
    ],
    secrets: ["••••aa", "••••bb"],
  });
  expect(masked(shown)).toEqual(shown);
  expect(unmasked(shown, stored)).toEqual(stored);
  const [first, , last] = shown.extraHeaders;
  const changed = { extraHeaders: [last, { name: "x-new", value: "new" }, first], secrets: ["••••bb"] };
  expect(unmasked(changed, stored)).toEqual({
    extraHeaders: [stored.extraHeaders[2], { name: "x-new", value: "new" }, stored.extraHeaders[0]],
    secrets: ["whsec_bbbb"],
  });
});

const header = (value: string, name = "x-a") => ({ name, value });

it.each<[string, unknown, unknown, unknown]>([
  ["the same place", ["a==", "b=="], ["••••==", "••••=="], ["a==", "b=="]],
  ["a place whose neighbour changed", ["a==", "b=="], ["new", "••••=="], ["new", "b=="]],
  ["the next one, as one was added", ["a==", "b=="], ["new", "••••==", "••••=="], ["new", "a==", "b=="]],
  ["either, as one was removed", ["a==", "b=="], ["••••=="], ["••••=="]],
  ["the only one", ["a==", "b=-"], ["••••=-"], ["b=-"]],
  ["two that are equal", ["a==", "a=="], ["••••=="], ["a=="]],
  ["none", ["a=="], ["••••xx"], ["••••xx"]],
  [
    "headers of one name",
    [header("a=="), header("b==")],
    [header("••••=="), header("••••==", "X-A")],
    [header("a=="), header("b==", "X-A")],
  ],
  ["a header of another name", [header("a==")], [header("••••==", "x-b")], [header("••••==", "x-b")]],
])("a mask that stands for %s", (_, stored, written, meant) => {
  expect(unmasked(written, stored)).toEqual(meant);
});

it.each([
  "x-auth",
  "Authorization",
  "proxy-authorization",
  "X-Api-Key",
  "apikey",
  "client_secret",
  "set-cookie",
])("%s gives access", (name) => expect([isCredentialName(name), isSecretName(name)]).toEqual([true, true]));
it.each(["token", "key", "x-functions-key", "sig", "code", "sessionid"])(
  "%s is secret as a header or parameter",
  (name) => expect([isCredentialName(name), isSecretName(name)]).toEqual([false, true]),
);
it.each([
  "author",
  "x-authors",
  "accept",
  "idempotency-key",
  "postcode",
  "keyboard",
  "codec",
  "hookId",
  "content-type",
])("%s is not secret", (name) =>
  expect([isCredentialName(name), isSecretName(name)]).toEqual([false, false]),
);

it("handles values as deep as a body may be, differences included", () => {
  let deep: unknown = "http://u:s3cret@h/";
  for (let depth = 0; depth < BOUNDS.jsonDepth.limit; depth += 1)
    deep = { path: "a.".repeat(100), seen: deep };
  expect(JSON.stringify(masked(deep))).toContain("http://u:••••et@h/");
});

it("handles long texts in linear time", () => {
  for (const part of ["a", "?", "a=", "http:", "http://", "http://a@", "extraHeaders:", ".a", "%41="]) {
    const text = part.repeat(300_000);
    const before = performance.now();
    maskedText(text);
    maskedAddress(text);
    expect([part, performance.now() - before < 20_000]).toEqual([part, true]);
  }
});

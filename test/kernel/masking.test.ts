import fc from "fast-check";
import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import {
  isCredentialName,
  isSecretName,
  masked,
  maskedAddress,
  maskedHeaders,
  maskedSecret,
  maskedText,
  masksIn,
} from "../../src/kernel/masking.js";

it.each([
  ["https://bot.example/hook?page=2", "https://bot.example/hook?page=2"],
  ["https://user:pa@ss@bot.example:8443/", "https://user:••••ss@bot.example:8443/"],
  ["https://token@bot.example", "https://••••en@bot.example"],
  ["https://bot.example/a@b?x=c@d", "https://bot.example/a@b?x=c@d"],
  ["https://bot.example/?next=http://u:pass@shop/a@b", "https://bot.example/?next=http://u:••••ss@shop/a@b"],
  ["https://bot.example?x=1;access_token=s3cret", "https://bot.example?x=1;access_token=••••et"],
  ["https://bot.example/#id_token=2", "https://bot.example/#id_token=••••2"],
  ["https://bot.example/?%6Bey=s3&%=3", "https://bot.example/?%6Bey=••••s3&%=3"],
  ["http:\\\\user:pass@bot.example", "http:\\\\user:••••ss@bot.example"],
  ["https://bot.example/?key=secret&page=12#sig=abc", "https://bot.example/?key=••••et&page=12#sig=••••bc"],
  ["sink:demo", "sink:demo"],
  ["no address", "no address"],
])("the address %s is shown as %s", (address, masked) => {
  expect(maskedAddress(address)).toBe(masked);
  expect(maskedAddress(masked)).toBe(masked);
});

it("addresses in a text are masked", () => {
  const shown = 'see "ws://a:••••cd@c/?pwd=••••23", or http://d/?key=••••34 and so on';
  expect(maskedText('see "ws://a:bcd@c/?pwd=123", or http://d/?key=234 and so on')).toBe(shown);
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
const SHOWN = [{ name: "x-a", value: "••••et" }];

it.each<[path: string, expected: unknown, seen: unknown, shownExpected: unknown, shownSeen: unknown]>([
  ["body.extraHeaders", [], HEADERS, [], SHOWN],
  ["extraHeaders[0]", { $any: "string" }, HEADERS[0], { $any: "••••ng" }, SHOWN[0]],
  ["extraHeaders[0].value", "x-secret", "s3cret", "••••et", "••••et"],
  ["headers.cookie", { $absent: true }, "s3cret", { $absent: true }, "••••et"],
  ["body", 1, { secrets: ["s3cret"], text: "t" }, 1, { secrets: ["••••et"], text: "t" }],
  ['["\\x"].a', undefined, "b", undefined, "b"],
  ["a.".repeat(100_000), undefined, "b", undefined, "b"],
])("a difference at %.30s is masked like the place", (path, expected, seen, shownExpected, shownSeen) => {
  const shown = { path, expected: shownExpected, seen: shownSeen };
  expect([masked({ path, expected, seen }), masked(shown)]).toEqual([shown, shown]);
});

it.each([
  ["@.extraHeaders[0].value", 'is no [x], but is equal to "s3"cret"', 'is no [x], but is equal to "••••et"'],
  ["webhooks[0].url", 'must be a URL, but is "http:u:s3cret@h"', 'must be a URL, but is "http:u:••••et@h"'],
  ["name", 'must be x, but is "y"', 'must be x, but is "y"'],
])("a value that a problem of %s quotes is masked", (property, message, shown) => {
  for (const text of [message, shown])
    expect(masked({ property, message: text })).toEqual({ property, message: shown });
});

const delivery = (a: string, b: string, key: string) => ({
  headers: { "X-A": a, "x-b": b },
  secretHeaders: ["x-a", "x-b"],
  attempts: [{ responseBody: `ok: ${JSON.stringify({ "x-a": a, key })}` }, { responseBody: null }],
});

it.each<[string, unknown, unknown]>([
  [
    "a body that is not JSON",
    `{"url":"u","extraHeaders":${JSON.stringify(HEADERS)},}`,
    '{"url":"u","extraHeaders":[{"••••me":"••••-a","••••ue":"••••er ••••et"}],}',
  ],
  [
    "a delivery whose receiver repeats the headers",
    delivery("Bearer s3cret-s3cret", "ok", "s3cret-s3cret"),
    delivery("••••et", "••••ok", "••••et"),
  ],
  [
    "headers that are an object",
    { extraHeaders: { authorization: "s3cret", value: "s3cret" } },
    { extraHeaders: { authorization: "••••et", value: "••••et" } },
  ],
])("%s is masked", (_, value, shown) => {
  for (const body of [value, shown]) expect(masked({ body })).toEqual({ body: shown });
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

it("a record that is masked twice is the same", () => {
  const headers = ["Authorization: Bearer one", "X-A: first"].map((line) => line.split(": "));
  const record = {
    url: "https://u:s3cret@bot.example/?key=k3y",
    extraHeaders: headers.map(([name, value]) => ({ name, value })),
    secrets: ["whsec_aaaa", "whsec_bbbb"],
  };
  const shown = {
    url: "https://u:••••et@bot.example/?key=••••3y",
    extraHeaders: [
      { name: "Authorization", value: "••••ne" },
      { name: "X-A", value: "••••st" },
    ],
    secrets: ["••••aa", "••••bb"],
  };
  expect([masked(record), masked(shown)]).toEqual([shown, shown]);
});

it.each<[unknown, unknown[]]>([
  [{ url: "http://u:••••rd@h/" }, [["url"]]],
  [{ url: "http://h/?key=••••et&page=2" }, [["url"]]],
  [{ url: "http://h/say••••" }, []],
  [
    { webhooks: [{ extraHeaders: [{ name: "a", value: "••••st" }] }] },
    [["webhooks", 0, "extraHeaders", 0, "value"]],
  ],
  [{ "delivery.signature": { secrets: ["a", "••••bb"] } }, [["delivery.signature", "secrets", 1]]],
  [
    { headers: { cookie: "••••et" }, query: { key: "••••" } },
    [
      ["headers", "cookie"],
      ["query", "key"],
    ],
  ],
  [{ text: "••••42", body: "Not ••••42", name: "••••" }, []],
])("the secrets left masked in %j are at %j", (value, places) => {
  expect(masksIn(value)).toEqual(places);
});

it("pages show headers without API keys too", () => {
  expect(maskedHeaders({ token: "acme-token", accept: "*/*", link: "http://c:dd@e/" })).toEqual({
    token: "••••en",
    accept: "*/*",
    link: "http://c:••••dd@e/",
  });
});

it.each<[isCredential: boolean, isSecret: boolean, names: string[]]>([
  [true, true, ["x-auth", "Authorization", "proxy-authorization", "X-Api-Key", "apikey", "client_secret"]],
  [true, true, ["set-cookie"]],
  [false, true, ["token", "key", "x-functions-key", "sig", "code", "sessionid"]],
  [false, false, ["author", "x-authors", "accept", "idempotency-key", "postcode", "keyboard", "codec"]],
  [false, false, ["hookId", "content-type"]],
])(
  "are names of credentials (%s), or secret in headers and addresses (%s): %j",
  (isCredential, isSecret, names) => {
    expect(names.map(isCredentialName)).toEqual(names.map(() => isCredential));
    expect(names.map(isSecretName)).toEqual(names.map(() => isSecret));
  },
);

it("handles values as deep as a body may be, differences included", () => {
  let deep: unknown = "http://u:s3cret@h/";
  for (let depth = 0; depth < BOUNDS.jsonDepth.limit; depth += 1)
    deep = { path: "a.".repeat(100), seen: deep };
  expect(JSON.stringify(masked(deep))).toContain("http://u:••••et@h/");
});

it("handles long texts in linear time: quadratic, they would take minutes", () => {
  for (const part of ["a", "?", "a=", "http:", "http://", "http://a@", "extraHeaders:", ".a", "%41="]) {
    const text = part.repeat(100_000);
    maskedText(text);
    maskedAddress(text);
  }
});

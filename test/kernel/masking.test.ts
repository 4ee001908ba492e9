import { describe, expect, it } from "vitest";
import {
  isCredentialName,
  isSecretName,
  masked,
  maskedAddress,
  maskedText,
  maskedValues,
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

it("maskedValues masks what its name makes secret, and addresses in all else", () => {
  const values = { Authorization: "Bearer a", token: "bcd", link: "http://c:dd@e/", note: "key=g" };
  const rest = { link: "http://c:••••dd@e/", note: "key=g" };
  expect(maskedValues(values)).toEqual({ Authorization: "•••• a", token: "••••cd", ...rest });
  expect(maskedValues(values, isCredentialName)).toEqual({ Authorization: "•••• a", token: "bcd", ...rest });
  expect(maskedValues({})).toEqual({});
});

it("a masked record that is written back is the stored one, but for what was changed", () => {
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
])("%s is not", (name) => expect([isCredentialName(name), isSecretName(name)]).toEqual([false, false]));

it("takes long texts in linear time", () => {
  for (const part of ["a", "?", "a=", "http://", "http://a@", ".a", "%41="]) {
    const text = part.repeat(300_000);
    const before = performance.now();
    maskedText(text);
    maskedAddress(text);
    expect([part, performance.now() - before < 20_000]).toEqual([part, true]);
  }
});

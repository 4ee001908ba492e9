import { describe, expect, it } from "vitest";
import {
  isCredentialName,
  isSecretName,
  maskedAddress,
  maskedText,
  maskedValues,
} from "../../src/kernel/masking.js";

describe("maskedAddress", () => {
  it.each([
    ["https://bot.example/hook?page=2", "https://bot.example/hook?page=2"],
    ["https://user:pa@ss@bot.example:8443/", "https://***@bot.example:8443/"],
    ["https://token@bot.example", "https://***@bot.example"],
    ["https://bot.example/a@b?x=c@d", "https://bot.example/a@b?x=c@d"],
    [
      "https://bot.example/?next=http://user:pass@shop.example/a@b",
      "https://bot.example/?next=http://***@shop.example/a@b",
    ],
    ["https://bot.example?x=1;access_token=2", "https://bot.example?x=1;access_token=***"],
    ["https://bot.example/#id_token=2", "https://bot.example/#id_token=***"],
    ["https://bot.example/?%6Bey=2&%=3", "https://bot.example/?%6Bey=***&%=3"],
    ["http:\\\\user:pass@bot.example", "http:\\\\***@bot.example"],
    ["https://bot.example/?key=secret&page=12#sig=abc", "https://bot.example/?key=***&page=12#sig=***"],
    ["https://bot.example/?%key=secret", "https://bot.example/?%key=***"],
    ["sink:demo", "sink:demo"],
    ["no address", "no address"],
  ])("%s: %s", (address, masked) => expect(maskedAddress(address)).toBe(masked));
});

it("maskedText masks each address in a text", () => {
  expect(maskedText('see "ws://a:b@c/?pwd=1", or http://d/?key=2 and so on')).toBe(
    'see "ws://***@c/?pwd=***", or http://d/?key=*** and so on',
  );
});

it("maskedValues masks what its name makes secret, and addresses in all else", () => {
  const values = { Authorization: "Bearer a", token: "b", link: "http://c:d@e/?key=f", note: "key=g" };
  const rest = { link: "http://***@e/?key=***", note: "key=g" };
  expect(maskedValues(values)).toEqual({ Authorization: "***", token: "***", ...rest });
  expect(maskedValues(values, isCredentialName)).toEqual({ Authorization: "***", token: "b", ...rest });
  expect(maskedValues({})).toEqual({});
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

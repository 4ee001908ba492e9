import { sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { keyPair, randomDigits, secretToken } from "../../src/kernel/random.js";

it("a secret has 32 characters that any header or address takes, and is another one each time", () => {
  const secrets = Array.from({ length: 100 }, secretToken);
  expect(secrets.filter((secret) => !/^[A-Za-z0-9_-]{32}$/.test(secret))).toEqual([]);
  expect(new Set(secrets).size).toBe(100);
});

it.each([1, 2, 6])("of %i digits the first is never 0", (count) => {
  const drawn = Array.from({ length: 300 }, () => randomDigits(count));
  expect(drawn.filter((digits) => !/^[1-9][0-9]*$/.test(digits) || digits.length !== count)).toEqual([]);
  expect(new Set(drawn).size).toBeGreaterThan(5);
});

it("a pair of keys signs on the curve P-256", () => {
  const { publicKey, privateKey } = keyPair();
  expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  const data = Buffer.from("data");
  const signature = sign("sha256", data, privateKey);
  expect(verify("sha256", data, publicKey, signature)).toBe(true);
  expect(verify("sha256", data, keyPair().publicKey, signature)).toBe(false);
});

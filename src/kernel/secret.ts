import { generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes, randomInt } from "node:crypto";

/** A secret that nobody can guess: 32 characters, letters, digits, `-` and `_`. No seed decides it. */
export const secretToken = (): string => randomBytes(24).toString("base64url");

/** So many decimal digits, the first of them no 0. No seed decides them. */
export const randomDigits = (count: number): string => String(randomInt(10 ** (count - 1), 10 ** count));

/** Keys to sign with, on the curve that every TLS client knows. No seed decides them. */
export const keyPair = (): KeyPairKeyObjectResult => generateKeyPairSync("ec", { namedCurve: "P-256" });

import { generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes } from "node:crypto";

/** A secret that nobody can guess: 32 characters, letters, digits, `-` and `_`. No seed decides it. */
export const secretToken = (): string => randomBytes(24).toString("base64url");

/** Keys to sign with, on the curve that every TLS client knows. No seed decides them. */
export const keyPair = (): KeyPairKeyObjectResult => generateKeyPairSync("ec", { namedCurve: "P-256" });

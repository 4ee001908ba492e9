import { randomBytes } from "node:crypto";

/** A secret that nobody can guess: 32 characters, letters, digits, `-` and `_`. No seed decides it. */
export const secretToken = (): string => randomBytes(24).toString("base64url");

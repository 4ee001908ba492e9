import type { KeyPairKeyObjectResult } from "node:crypto";
import { generateKeyPairSync, randomBytes, randomInt } from "node:crypto";

/** A stream of numbers that a seed decides (splitmix32). Its position in the stream is one number, so it can be kept and restored. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  get position(): number {
    return this.#state;
  }

  set position(position: number) {
    this.#state = position >>> 0;
  }

  /** An integer of 32 bits, not negative. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  fraction(): number {
    return this.next() / 0x1_0000_0000;
  }

  hex(length: number): string {
    let text = "";
    while (text.length < length) text += this.next().toString(16).padStart(8, "0");
    return text.slice(0, length);
  }
}

/** The whole number behind any seed: numbers as they are, texts by their characters. */
export function seedOf(value: number | string): number {
  if (typeof value === "number") return value >>> 0;
  let hash = 2166136261;
  for (let i = 0; i < value.length; i += 1) hash = Math.imul(hash ^ value.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** A secret that nobody can guess: 32 characters, letters, digits, `-` and `_`. No seed decides it. */
export const secretToken = (): string => randomBytes(24).toString("base64url");

/** So many decimal digits, the first of them no 0. No seed decides them. */
export const randomDigits = (count: number): string => String(randomInt(10 ** (count - 1), 10 ** count));

/** Keys to sign with, on the curve that every TLS client knows. No seed decides them. */
export const keyPair = (): KeyPairKeyObjectResult => generateKeyPairSync("ec", { namedCurve: "P-256" });

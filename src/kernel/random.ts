import { randomBytes } from "node:crypto";

/** A seeded stream of random numbers (splitmix32). Its position is one number, so it can be saved and restored. */
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

  /** A non-negative 32-bit integer. */
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

/** The integer for any seed: numbers as they are, texts by their characters. */
export function seedOf(value: number | string): number {
  if (typeof value === "number") return value >>> 0;
  let hash = 2166136261;
  for (let i = 0; i < value.length; i += 1) hash = Math.imul(hash ^ value.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** An unpredictable secret: 32 characters, letters, digits, `-` and `_`. Not seeded. */
export const secretToken = (): string => randomBytes(24).toString("base64url");

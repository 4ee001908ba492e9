/** ASN.1 in DER (X.690), as far as certificates need it. */
import { isoOf } from "../kernel/realtime.js";

/** The first year that the short form of a time cannot say. */
const LONG_TIMES = "2050";

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

/** A tag, the length and the content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => element(0x31, ...content);
export const octets = (...content: readonly Uint8Array[]): Buffer => element(0x04, ...content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));

/** A number that is not negative, its bytes from the highest on. */
export const integer = (...bytes: readonly number[]): Buffer =>
  element(0x02, Buffer.from((bytes[0] ?? 0) < 0x80 ? bytes : [0, ...bytes]));

/** Bits, of which the last `unused` do not count. */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  element(0x03, Buffer.from([unused]), content);

/** An explicit tag of the context. */
export const explicit = (tag: number, content: Uint8Array): Buffer => element(0xa0 + tag, content);
/** An implicit tag of the context, for what has no parts. */
export const implicit = (tag: number, content: Uint8Array): Buffer => element(0x80 + tag, content);

export function time(instant: number): Buffer {
  const text = `${isoOf(instant).slice(0, 19).replace(/[-T:]/g, "")}Z`;
  return text < LONG_TIMES ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text));
}

/** An object identifier, such as `2.5.29.17`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return element(0x06, Buffer.from([40 * first + second, ...others.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

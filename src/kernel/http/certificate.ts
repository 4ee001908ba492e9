/** A certificate for a server's host names, and the authority that issues it (RFC 5280). */
import { createHash, type KeyObject, sign } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { groupsOf } from "../hosts.js";
import { keyPair } from "../random.js";
import { isoOf } from "../realtime.js";
import type { TlsFiles } from "./server.js";

// ASN.1 in DER (X.690), as far as certificates need it.

/** The first year that UTCTime cannot express. */
const LONG_TIMES = "2050";

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
}

const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content);
const set = (...content: readonly Uint8Array[]): Buffer => element(0x31, ...content);
const octets = (...content: readonly Uint8Array[]): Buffer => element(0x04, ...content);
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));
const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));

/** A non-negative integer, big-endian. */
const integer = (...bytes: readonly number[]): Buffer =>
  element(0x02, Buffer.from((bytes[0] ?? 0) < 0x80 ? bytes : [0, ...bytes]));

/** A bit string whose last `unused` bits are ignored. */
const bits = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content);

/** An explicit context tag. */
const explicit = (tag: number, content: Uint8Array): Buffer => element(0xa0 + tag, content);
/** An implicit context tag of a primitive value. */
const implicit = (tag: number, content: Uint8Array): Buffer => element(0x80 + tag, content);

function time(instant: number): Buffer {
  const text = `${isoOf(instant).slice(0, 19).replace(/[-T:]/g, "")}Z`;
  return text < LONG_TIMES ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text));
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return element(0x06, Buffer.from([40 * first + second, ...others.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

const HOUR = 3_600_000;
/** Tolerated clock skew. */
const BEFORE = 24 * HOUR;
/** Some clients refuse certificates that are valid for more than 398 days. */
const AFTER = 365 * 24 * HOUR;

const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = objectId("2.5.4.3");
const SERVER_AUTHENTICATION = objectId("1.3.6.1.5.5.7.3.1");

/** Key usages, most significant bit first. */
const SIGNS_DATA = bits(Buffer.from([0x80]), 7);
const SIGNS_CERTIFICATES = bits(Buffer.from([0x06]), 1);

interface Party {
  readonly name: string;
  readonly key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

/**
 * Creates an authority and a certificate for host names and IP addresses. The authority's key is discarded, so that it can
 * never sign anything else.
 */
export function certificateFor(
  names: readonly string[],
  now: number,
): { readonly authority: string; readonly tls: TlsFiles } {
  const key = keyPair();
  const authority: Party = {
    name: `messaging-sim, one run (${idOf(key.publicKey).toString("hex", 0, 4)})`,
    key,
  };
  const server: Party = { name: "messaging-sim", key: keyPair() };
  const usesOfAuthority = [
    extension("2.5.29.19", sequence(boolean(true)), true),
    extension("2.5.29.15", SIGNS_CERTIFICATES, true),
  ];
  const usesOfServer = [
    extension("2.5.29.19", sequence(), true),
    extension("2.5.29.15", SIGNS_DATA, true),
    extension("2.5.29.37", sequence(SERVER_AUTHENTICATION)),
    extension("2.5.29.17", sequence(...names.map(alternativeName))),
  ];
  return {
    authority: signed(authority, authority, usesOfAuthority, now),
    tls: {
      cert: signed(server, authority, usesOfServer, now),
      key: server.key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
  };
}

function signed(subject: Party, issuer: Party, uses: readonly Buffer[], now: number): string {
  const id = idOf(subject.key.publicKey);
  const identified = [
    extension("2.5.29.14", octets(id)),
    extension("2.5.29.35", sequence(implicit(0, idOf(issuer.key.publicKey)))),
  ];
  const content = sequence(
    explicit(0, integer(2)),
    integer(1, ...id.subarray(0, 15)),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(time(now - BEFORE), time(now + AFTER)),
    nameOf(subject),
    spkiOf(subject.key.publicKey),
    explicit(3, sequence(...uses, ...identified)),
  );
  const signature = sign("sha256", content, issuer.key.privateKey);
  const text = sequence(content, ECDSA_WITH_SHA256, bits(signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value));

const nameOf = ({ name }: Party): Buffer => sequence(set(sequence(COMMON_NAME, utf8(name))));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const idOf = (key: KeyObject): Buffer => createHash("sha256").update(spkiOf(key)).digest().subarray(0, 20);

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return implicit(2, Buffer.from(name));
  return implicit(7, Buffer.from(isIPv4(name) ? name.split(".").map(Number) : bytesOfIPv6(name)));
}

function bytesOfIPv6(address: string): number[] {
  const groups = groupsOf(address).map((group) => Number.parseInt(group, 16));
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

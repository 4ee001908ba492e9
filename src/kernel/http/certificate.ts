/** A certificate for a server's host names, and the authority that issues it (RFC 5280). */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { isoOf } from "../realtime.js";
import type { TlsFiles } from "./server.js";

// ASN.1 in DER (X.690), as far as certificates need it.

function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length: number[] = [];
  for (let rest = body.length; rest > 0 || length.length === 0; rest >>= 8) length.unshift(rest & 0xff);
  if (body.length >= 0x80) length.unshift(0x80 | length.length);
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content);
const octets = (content: Uint8Array): Buffer => element(0x04, content);
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));
const objectId = (...bytes: readonly number[]): Buffer => element(0x06, Buffer.from(bytes));
const TRUE = element(0x01, Buffer.from([0xff]));

/** A bit string whose last `unused` bits are ignored. */
const bits = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content);

/** An explicit context tag. */
const explicit = (tag: number, content: Uint8Array): Buffer => element(0xa0 + tag, content);
/** An implicit context tag of a primitive value. */
const implicit = (tag: number, content: Uint8Array): Buffer => element(0x80 + tag, content);

/** A UTCTime, which has two digits for the year: until 2049. */
const time = (instant: number): Buffer =>
  element(0x17, Buffer.from(`${isoOf(instant).slice(2, 19).replace(/[-T:]/g, "")}Z`));

const HOUR = 3_600_000;
/** Tolerated clock skew. */
const BEFORE = 24 * HOUR;
/** Some clients refuse certificates that are valid for more than 398 days. */
const AFTER = 365 * 24 * HOUR;

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
/** 2.5.4.3 */
const COMMON_NAME = objectId(0x55, 0x04, 0x03);
/** 1.3.6.1.5.5.7.3.1 */
const SERVER_AUTHENTICATION = objectId(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01);

/** Extensions, by their number below 2.5.29. */
const [SUBJECT_KEY, KEY_USAGE, ALTERNATIVE_NAMES, CONSTRAINTS, ISSUER_KEY, EXTENDED_USAGE] = [
  14, 15, 17, 19, 35, 37,
] as const;

/** Key usages, most significant bit first. */
const SIGNS_DATA = bits(Buffer.from([0x80]), 7);
const SIGNS_CERTIFICATES = bits(Buffer.from([0x06]), 1);

/** On the curve that every TLS client supports. */
const keyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Party {
  readonly name: string;
  readonly key: ReturnType<typeof keyPair>;
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
  const run = idOf(key.publicKey).toString("hex", 0, 4);
  const authority: Party = { name: `messaging-sim, one run (${run})`, key };
  const server: Party = { name: "messaging-sim", key: keyPair() };
  const usesOfAuthority = [
    extension(CONSTRAINTS, sequence(TRUE), true),
    extension(KEY_USAGE, SIGNS_CERTIFICATES, true),
  ];
  const usesOfServer = [
    extension(CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, SIGNS_DATA, true),
    extension(EXTENDED_USAGE, sequence(SERVER_AUTHENTICATION)),
    extension(ALTERNATIVE_NAMES, sequence(...names.map(alternativeName))),
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
    extension(SUBJECT_KEY, octets(id)),
    extension(ISSUER_KEY, sequence(implicit(0, idOf(issuer.key.publicKey)))),
  ];
  const content = sequence(
    explicit(0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1]), id.subarray(0, 15)),
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

const extension = (id: number, value: Buffer, critical = false): Buffer =>
  sequence(objectId(0x55, 0x1d, id), ...(critical ? [TRUE] : []), octets(value));

const nameOf = ({ name }: Party): Buffer => sequence(element(0x31, sequence(COMMON_NAME, utf8(name))));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const idOf = (key: KeyObject): Buffer => createHash("sha256").update(spkiOf(key)).digest().subarray(0, 20);

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return implicit(2, Buffer.from(name));
  const bytes = isIPv4(name) ? name.split(".").map(Number) : bytesOfIPv6(name);
  return implicit(7, Buffer.from(bytes));
}

/** The bytes of an IPv6 address, which a URL writes in its shortest form. */
function bytesOfIPv6(address: string): number[] {
  const [before = "", after] = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname
    .slice(1, -1)
    .split("::");
  const groupsIn = (text: string) => (text === "" ? [] : text.split(":"));
  const [left, right] = [groupsIn(before), groupsIn(after ?? "")];
  const zeros = new Array<string>(8 - left.length - right.length).fill("0");
  return [
    ...Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, "0")).join(""), "hex"),
  ];
}

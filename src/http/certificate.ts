/** A certificate for the names under which a server is called, and the authority that it is from (RFC 5280). */
import { createHash, type KeyObject, sign } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { keyPair } from "../kernel/secret.js";
import * as der from "./der.js";
import type { TlsFiles } from "./server.js";

const HOUR = 3_600_000;
/** Clocks may differ by so much. */
const BEFORE = 24 * HOUR;
/** Some clients refuse certificates that are good for more than 398 days. */
const AFTER = 365 * 24 * HOUR;

const ECDSA_WITH_SHA256 = der.sequence(der.objectId("1.2.840.10045.4.3.2"));
const COMMON_NAME = der.objectId("2.5.4.3");
const SERVER_AUTHENTICATION = der.objectId("1.3.6.1.5.5.7.3.1");

/** Key usages, as bits from the highest on. */
const SIGNS_DATA = der.bits(Buffer.from([0x80]), 7);
const SIGNS_CERTIFICATES = der.bits(Buffer.from([0x06]), 1);

interface Party {
  readonly name: string;
  readonly key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

/**
 * Makes an authority and a certificate of it for host names and IP addresses. Nobody keeps the authority's key, so it
 * vouches for nothing else, ever.
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
    extension("2.5.29.19", der.sequence(der.boolean(true)), true),
    extension("2.5.29.15", SIGNS_CERTIFICATES, true),
  ];
  const usesOfServer = [
    extension("2.5.29.19", der.sequence(), true),
    extension("2.5.29.15", SIGNS_DATA, true),
    extension("2.5.29.37", der.sequence(SERVER_AUTHENTICATION)),
    extension("2.5.29.17", der.sequence(...names.map(alternativeName))),
  ];
  return {
    authority: signed(authority, authority, usesOfAuthority, now),
    tls: {
      cert: signed(server, authority, usesOfServer, now),
      key: server.key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
  };
}

/** A certificate in PEM. */
function signed(subject: Party, issuer: Party, uses: readonly Buffer[], now: number): string {
  const id = idOf(subject.key.publicKey);
  const identified = [
    extension("2.5.29.14", der.octets(id)),
    extension("2.5.29.35", der.sequence(der.implicit(0, idOf(issuer.key.publicKey)))),
  ];
  const content = der.sequence(
    der.explicit(0, der.integer(2)),
    der.integer(1, ...id.subarray(0, 15)),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    der.sequence(der.time(now - BEFORE), der.time(now + AFTER)),
    nameOf(subject),
    spkiOf(subject.key.publicKey),
    der.explicit(3, der.sequence(...uses, ...identified)),
  );
  const signature = sign("sha256", content, issuer.key.privateKey);
  const text = der.sequence(content, ECDSA_WITH_SHA256, der.bits(signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
}

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  der.sequence(der.objectId(id), ...(critical ? [der.boolean(true)] : []), der.octets(value));

const nameOf = ({ name }: Party): Buffer => der.sequence(der.set(der.sequence(COMMON_NAME, der.utf8(name))));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });
const idOf = (key: KeyObject): Buffer => createHash("sha256").update(spkiOf(key)).digest().subarray(0, 20);

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return der.implicit(2, Buffer.from(name));
  return der.implicit(7, Buffer.from(isIPv4(name) ? name.split(".").map(Number) : bytesOfIPv6(name)));
}

function bytesOfIPv6(address: string): number[] {
  // The parser of addresses writes them in one form, without IPv4 parts.
  const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [front, back] = [groups(before), groups(after ?? "")];
  const filled = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return filled.flatMap((group) => [group >> 8, group & 0xff]);
}

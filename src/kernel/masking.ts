/** What is secret because of its name or its place in an address or record, and how it is shown instead. */

import type { Path } from "./json.js";
import { isObject } from "./objects.js";

export const MASK = "••••";

const SHOWN = 2;

/** A secret as it is shown: `••••et`. Masking it again changes nothing. */
export const maskedSecret = (secret: string): string =>
  secret.startsWith(MASK) ? secret : MASK + [...secret.slice(-2 * SHOWN)].slice(-SHOWN).join("");

/** Names of headers, fields and parameters that hold credentials. */
const CREDENTIAL = /auth(?!ors?\b)|passw|passphrase|secret|credential|cookie|api[-_]?key/i;
/** Names that are often harmless in a body, but hardly ever in a header or an address. */
const TOKEN = /token|session|(?<!idempotency[-_])key$|^(sig|signature|code|pwd|pass)$/i;

export const isCredentialName = (name: string): boolean => CREDENTIAL.test(name);

export const isSecretName = (name: string): boolean => CREDENTIAL.test(name) || TOKEN.test(name);

/** A text with the password of each address masked, or the user if it has no password. */
const withoutPasswords = (text: string): string =>
  text.replace(
    /\b([a-z][a-z0-9+.-]{0,30}:[/\\]{2})([^/\\?#\s"'<>]*)@/gi,
    (_, scheme: string, user: string) => {
      const password = user.indexOf(":") + 1;
      return `${scheme}${user.slice(0, password)}${maskedSecret(user.slice(password))}@`;
    },
  );

/** An address, and any address inside it, without passwords and secret parameters: `https://bot:••••rd@bot.example/hook?key=••••et`. */
export const maskedAddress = (address: string): string =>
  withoutPasswords(address).replace(/([?&;#])([^=&;#?]*)=([^&;#]*)/g, (whole, mark, name: string, value) =>
    isSecretName(decoded(name)) ? `${mark}${name}=${maskedSecret(value)}` : whole,
  );

export const maskedText = (text: string): string =>
  text.replace(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi, maskedAddress);

/** Headers or parameters with secret ones masked by name; in all others, addresses are masked. */
export const maskedValues = (
  values: Readonly<Record<string, unknown>>,
  isSecret: (name: string) => boolean = isSecretName,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecret(name) ? maskedSecret(String(value)) : maskedText(String(value)),
    ]),
  );

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Fields whose texts are or contain addresses. */
const OF_ADDRESSES = new Set([
  "url",
  "previousUrl",
  "path",
  "reason",
  "error",
  "message",
  "responseBody",
  "seen",
]);
/** Headers that look secret but are not: an API key of the simulated API, and a body's signature. */
const READABLE = new Set(["token", "webhook-signature"]);
/** Places in a record where a difference would reveal a secret. */
const SECRET_PLACE = /extraHeaders.*value|secrets/;

/**
 * A record, or any JSON value, that is safe to show: without passwords in addresses, credentials in headers, values of
 * `extraHeaders` and signing secrets. API keys of the simulated API stay.
 */
export function masked(value: unknown, key = ""): unknown {
  if (typeof value === "string") return OF_ADDRESSES.has(key) ? maskedText(value) : withoutPasswords(value);
  if (Array.isArray(value)) {
    if (key === "extraHeaders") return value.map((header) => withoutValue(header));
    return value.map((item: unknown) => (key === "secrets" ? secretTexts(item) : masked(item, key)));
  }
  if (!isObject(value)) return value;
  if (key === "query") return maskedValues(value, isCredentialName);
  // Headers of a delivery, or of a call to a sink, that come from `extraHeaders`.
  const { secretHeaders } = value as { readonly secretHeaders?: readonly string[] };
  const shown: unknown = typeof value.toJSON === "function" ? value.toJSON() : value;
  if (!isObject(shown)) return masked(shown, key);
  const isSecret = (name: string) =>
    isCredentialName(name) ||
    (secretHeaders?.includes(name.toLowerCase()) ??
      (isSecretName(name) && !READABLE.has(name.toLowerCase())));
  const isDifference = typeof shown.path === "string" && "seen" in shown && SECRET_PLACE.test(shown.path);
  return Object.fromEntries(
    Object.entries(shown).map(([name, part]) => {
      if (name === "headers" && isObject(part)) return [name, maskedValues(part, isSecret)];
      if (name === "extraHeaders" && !Array.isArray(part)) return [name, secretTexts(part)];
      if (isDifference && name !== "path") return [name, secretTexts(part)];
      return [name, masked(part, name)];
    }),
  );
}

const withoutValue = (header: unknown): unknown =>
  isObject(header) && "value" in header
    ? { ...header, value: secretTexts(header.value) }
    : secretTexts(header);

function secretTexts(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "number") return maskedSecret(String(value));
  if (Array.isArray(value)) return value.map(secretTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, secretTexts(part)]));
}

/** A mask in place of a whole text, or of an address's password or parameter; not one in the middle of a sentence. */
const LEFT = new RegExp(`(^|[:/=])${MASK}.{0,${SHOWN}}($|[@&;#])`, "u");

export function masksIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return LEFT.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    masksIn(part, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** A value that is written back: masked parts are replaced by the stored ones. */
export function unmasked(value: unknown, stored: unknown): unknown {
  if (typeof value === "string") {
    if (!value.includes(MASK)) return value;
    const isMeant = (text: unknown) =>
      typeof text === "string" &&
      [maskedSecret(text), maskedText(text), withoutPasswords(text)].includes(value);
    return [stored].flat().find(isMeant) ?? value;
  }
  if (Array.isArray(value)) {
    const all: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return value.map((item: unknown, index) => {
      if (!isObject(item)) return unmasked(item, typeof item === "string" ? stored : all[index]);
      const same = all.filter(
        (other) => isObject(other) && other.id === item.id && lower(other.name) === lower(item.name),
      );
      const meant = same.find((other) => isObject(other) && secretTexts(other.value) === item.value);
      return unmasked(item, meant ?? same[0]);
    });
  }
  if (!isObject(value)) return value;
  const before = isObject(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unmasked(part, before[name])]),
  );
}

const lower = (name: unknown): unknown => (typeof name === "string" ? name.toLowerCase() : name);

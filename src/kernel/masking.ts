/** What is secret because of its name, or its place in an address or a record, and how it is shown where it leaves the simulator. */

import type { Path } from "./json.js";
import { mapLeaves, parsePath, valueAt } from "./json.js";
import { isObject } from "./objects.js";

export const MASK = "••••";

/** So many characters of a secret are shown. */
const SHOWN = 2;

const MASKED = new RegExp(`^${MASK}.{0,${SHOWN}}$`, "su");

/** A secret as it is shown: `••••et`. Masking it again changes nothing. */
export const maskedSecret = (secret: string): string =>
  MASKED.test(secret) ? secret : MASK + [...secret.slice(-2 * SHOWN)].slice(-SHOWN).join("");

/** Names of headers, fields and parameters that hold credentials. */
const CREDENTIAL = /auth(?!ors?\b)|passw|passphrase|secret|credential|cookie|api[-_]?key/i;
/** Names that are often harmless in a body, but hardly ever in a header or an address. */
const TOKEN = /token|session|(?<!idempotency[-_])key$|^(sig|signature|code|pwd|pass)$/i;

export const isCredentialName = (name: string): boolean => CREDENTIAL.test(name);

export const isSecretName = (name: string): boolean => CREDENTIAL.test(name) || TOKEN.test(name);

/** The user of an address; URL parsers accept any number of slashes before it. */
const USER = /^(\s*[a-z][a-z0-9+.-]*:[/\\]*)([^/\\?#]*)@/i;
/** The same in a text, which may be JSON: it ends at a space, but not at a quote or an escaped one. */
const USER_IN_TEXT = /\b(https?:[/\\]+|[a-z][a-z0-9+.-]{0,30}:[/\\]{2,})((?:[^/\\?#\s]|\\+["u])*)@/gi;

const withoutPassword = (_: string, scheme: string, user: string): string => {
  const password = user.indexOf(":") + 1;
  return `${scheme}${user.slice(0, password)}${maskedSecret(user.slice(password))}@`;
};

/** A text with the password of each address masked, or the user if it has no password. Few texts have any. */
const withoutPasswords = (text: string): string =>
  text.includes("@") ? text.replace(USER_IN_TEXT, withoutPassword) : text;

/** An address, and any address inside it, without passwords and secret parameters: `https://bot:••••rd@bot.example/hook?key=••••et`. */
export const maskedAddress = (address: string): string =>
  withoutPasswords(address.replace(USER, withoutPassword)).replace(
    /([?&;#])([^=&;#?]*)=([^&;#]*)/g,
    (whole, mark, name: string, value) =>
      isSecretName(decodedPart(name)) ? `${mark}${name}=${maskedSecret(value)}` : whole,
  );

export const maskedText = (text: string): string =>
  withoutPasswords(text).replace(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi, maskedAddress);

/** A part of an address, decoded; as it stands if it cannot be. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Fields that are an address. */
const ADDRESSES = new Set(["url", "previousUrl"]);
/** Fields whose texts contain addresses. */
const OF_ADDRESSES = new Set(["path", "reason", "error", "message", "responseBody", "seen"]);
/** Fields whose names say which of their values are secret. */
const OF_NAMED_VALUES = new Set(["headers", "query"]);
/** Fields whose values are secret. */
const OF_SECRETS = new Set(["extraHeaders", "secrets"]);
/** Headers that look secret but are not: an API key of the simulated API, and a body's signature. */
const READABLE = new Set(["token", "webhook-signature"]);
/** Where a text that is no JSON, such as a body with a trailing comma, has values of `extraHeaders`. */
const HEADERS_IN_TEXT = /(extraHeaders\\*["']?\s*[:=]\s*)([[{"'].*)$/s;

/**
 * A record, or any JSON value, that is safe to show: without passwords in addresses, credentials in headers, values of
 * `extraHeaders` and signing secrets. API keys of the simulated API stay. The items of an iterable are masked as they are read.
 */
export function masked(value: unknown, key = ""): unknown {
  if (key === "secrets") return secretTexts(value);
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, key));
  if (key === "extraHeaders") return withoutValue(value);
  if (typeof value === "string") return maskedIn(value, key);
  if (!isObject(value)) return value;
  const shown: unknown = typeof value.toJSON === "function" ? value.toJSON() : value;
  if (!isObject(shown)) return masked(shown, key);
  if (OF_NAMED_VALUES.has(key)) return namedValues(shown, key);
  const place = shown.path ?? shown.property;
  // Headers of a delivery, or of a call to a sink, that come from `extraHeaders`.
  const { secretHeaders } = shown as { readonly secretHeaders?: readonly string[] };
  return Object.fromEntries(
    Object.entries(shown).map(([name, part]) => {
      if (OF_NAMED_VALUES.has(name) && isObject(part)) return [name, namedValues(part, name, secretHeaders)];
      if (name === "attempts" && secretHeaders !== undefined)
        return [name, masked(withoutEchoes(part, shown.headers, secretHeaders), name)];
      if (typeof place === "string" && name === "message") return [name, maskedProblem(place, part)];
      // A difference, or a problem.
      if (typeof place === "string" && (name === "seen" || name === "expected"))
        return [name, maskedAt(place, part)];
      return [name, masked(part, name)];
    }),
  );
}

/** Headers as a page shows them to whoever looks over a shoulder: without API keys too. */
export const maskedHeaders = (headers: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSecretName(name) ? secretTexts(value) : masked(value, "message"),
    ]),
  );

function maskedIn(text: string, key: string): string {
  const mask = ADDRESSES.has(key) ? maskedAddress : OF_ADDRESSES.has(key) ? maskedText : withoutPasswords;
  const shown = mask(text);
  if (!shown.includes("extraHeaders")) return shown;
  return shown.replace(
    HEADERS_IN_TEXT,
    (_, name: string, rest: string) => name + rest.replace(/[^\s{}[\],:"'\\]+/g, maskedSecret),
  );
}

/** Headers or parameters, of which some are secret by name. */
function namedValues(
  values: Readonly<Record<string, unknown>>,
  key: string,
  secretHeaders?: readonly string[],
): unknown {
  const isSecret = (name: string): boolean => {
    const lower = name.toLowerCase();
    if (isCredentialName(name) || secretHeaders?.includes(lower)) return true;
    return key === "headers" && secretHeaders === undefined && isSecretName(name) && !READABLE.has(lower);
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isSecret(name) ? secretTexts(value) : masked(value, typeof value === "string" ? "message" : name),
    ]),
  );
}

/** Shorter secrets may be ordinary words of an answer. */
const MIN_ECHO = 8;

/** The attempts of a delivery without the secret headers that a receiver repeats in its answer, as echo servers do. */
function withoutEchoes(attempts: unknown, headers: unknown, names: readonly string[]): unknown {
  const secrets = Object.entries(isObject(headers) ? headers : {})
    .filter(([name]) => names.includes(name.toLowerCase()))
    .flatMap(([, value]) => [String(value), ...String(value).split(" ").slice(1)])
    .filter(({ length }) => length >= MIN_ECHO);
  const shown = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, maskedSecret(secret)), text);
  return mapLeaves(attempts, (leaf) => (typeof leaf === "string" ? shown(leaf) : leaf));
}

/** A part of a record, masked as it would be at its place, such as `body.extraHeaders[0]`. */
function maskedAt(place: string, part: unknown): unknown {
  const names = placeOf(place).filter((segment) => typeof segment === "string");
  const at = names.findIndex((name) => OF_NAMED_VALUES.has(name) || OF_SECRETS.has(name));
  const [key = "", name] = names.slice(at);
  if (at < 0 || name === undefined) return masked(part, key);
  if (OF_SECRETS.has(key)) return name === "name" ? part : secretTexts(part);
  return valueAt(namedValues({ [name]: part }, key), [name]);
}

function placeOf(place: string): (string | number)[] {
  try {
    return parsePath(place.replace(/^@\.?/, ""));
  } catch {
    return [];
  }
}

/** What is wrong at a place, with the value that it quotes masked. */
const maskedProblem = (place: string, message: unknown): unknown =>
  typeof message === "string"
    ? maskedText(message).replace(
        /(but is (?:equal to )?")(.*)"/s,
        (_, before: string, quoted: string) => `${before}${maskedAt(place, quoted)}"`,
      )
    : masked(message, "message");

function withoutValue(header: unknown): unknown {
  if (!isObject(header) || !("value" in header)) return secretTexts(header);
  const { name, ...rest } = header;
  return { name, ...(secretTexts(rest) as object) };
}

const secretTexts = (value: unknown): unknown =>
  mapLeaves(value, (leaf) =>
    typeof leaf === "string" || typeof leaf === "number" ? maskedSecret(String(leaf)) : leaf,
  );

/** A mask in place of a whole text, or of an address's password or parameter; not one in the middle of a sentence. */
const MASK_LEFT = new RegExp(`(^|[:/=])${MASK}.{0,${SHOWN}}($|[@&;#])`, "u");

/** Where secrets were left masked in a value, as in an answer that is written back. */
export function masksIn(value: unknown): Path[] {
  const found: Path[] = [];
  const path: (string | number)[] = [];
  const look = (part: unknown, isSecret: boolean): void => {
    if (typeof part === "string" && isSecret && MASK_LEFT.test(part)) found.push([...path]);
    if (typeof part !== "object" || part === null) return;
    for (const name in part) {
      path.push(Array.isArray(part) ? Number(name) : name);
      look(part[name as keyof typeof part], isSecret || holdsSecrets(name));
      path.pop();
    }
  };
  look(value, false);
  return found;
}

const holdsSecrets = (name: string): boolean =>
  ADDRESSES.has(name) || OF_NAMED_VALUES.has(name) || OF_SECRETS.has(name);

/** What is secret because of its name or its place in an address, and how it is shown instead. */

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

/** A text with the password of each address masked, or the user if it has no password. */
export const withoutPasswords = (text: string): string => text.replace(USER_IN_TEXT, withoutPassword);

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

/** A mask in place of a whole text, or of an address's password or parameter; not one in the middle of a sentence. */
const MASK_LEFT = new RegExp(`(^|[:/=])${MASK}.{0,${SHOWN}}($|[@&;#])`, "u");

export const holdsMask = (text: string): boolean => MASK_LEFT.test(text);

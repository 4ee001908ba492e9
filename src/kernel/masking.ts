/** What is secret by its name or its place in an address, and what stands there for readers who need not know it. */

/** What stands in the place of a secret. */
export const MASK = "***";

/** Names of headers, fields and parameters that hold what gives access. */
const CREDENTIAL = /auth(?!ors?\b)|passw|passphrase|secret|credential|cookie|api[-_]?key/i;
/** Names that may stand for something else in a body, but hardly in a header or an address. */
const TOKEN = /token|session|(?<!idempotency[-_])key$|^(sig|signature|code|pwd|pass)$/i;

/** Whether a value under this name gives access, whatever it belongs to. */
export const isCredentialName = (name: string): boolean => CREDENTIAL.test(name);

/** Whether a header or parameter of this name is secret: a credential, a token or a key. */
export const isSecretName = (name: string): boolean => CREDENTIAL.test(name) || TOKEN.test(name);

/** An address, and each inside it, without user, password and secret parameters: `https://***@bot.example/hook?key=***`. */
export const maskedAddress = (address: string): string =>
  address
    .replace(/\b([a-z][a-z0-9+.-]{0,30}:[/\\]{2})[^/\\?#]*@/gi, `$1${MASK}@`)
    .replace(/([?&;#])([^=&;#?]*)=([^&;#]*)/g, (whole, mark: string, name: string) =>
      isSecretName(decoded(name)) ? `${mark}${name}=${MASK}` : whole,
    );

/** A text in which every address is masked. */
export const maskedText = (text: string): string =>
  text.replace(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi, maskedAddress);

/** Headers or parameters with the values of those masked whose names are secret; in the others every address. */
export const maskedValues = (
  values: Readonly<Record<string, string>>,
  isSecret: (name: string) => boolean = isSecretName,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name) ? MASK : maskedText(value)]),
  );

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

import type { TlsFiles } from "../http/server.js";
import type { OptionFiles } from "./files.js";
import type { OptionValues } from "./options.js";

/** Certificate and key, read and checked; undefined where the options name none or name unusable ones. */
export async function tlsOf(values: OptionValues, files: OptionFiles): Promise<TlsFiles | undefined> {
  const { "tls-cert": certFile, "tls-key": keyFile } = values;
  if (certFile !== undefined && values["self-signed"] === true)
    files.refuse("self-signed", "makes a certificate, so it stands not beside --tls-cert");
  if (certFile !== undefined && keyFile === undefined) files.refuse("tls-cert", "needs --tls-key beside it");
  if (keyFile !== undefined && certFile === undefined) files.refuse("tls-key", "needs --tls-cert beside it");
  if (certFile === undefined || keyFile === undefined) return undefined;
  const cert = await files.text("tls-cert", certFile);
  const key = await files.text("tls-key", keyFile);
  if (cert === undefined || key === undefined) return undefined;
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  const certificate = attempt(() => new X509Certificate(cert));
  const privateKey = attempt(() => createPrivateKey(key));
  if (certificate === undefined) files.refuse("tls-cert", `${certFile} holds no certificate in PEM`);
  if (privateKey === undefined) files.refuse("tls-key", `${keyFile} holds no private key in PEM`);
  if (certificate === undefined || privateKey === undefined) return undefined;
  if (certificate.checkPrivateKey(privateKey)) return { cert, key };
  files.refuse("tls-key", `${keyFile} is not the key of the certificate ${certFile}`);
  return undefined;
}

/** The authority that receivers are checked against, in PEM. */
export async function authorityOf(
  { "webhook-ca": file }: OptionValues,
  files: OptionFiles,
): Promise<string | undefined> {
  const text = await files.text("webhook-ca", file);
  if (text === undefined) return undefined;
  const { X509Certificate } = await import("node:crypto");
  if (attempt(() => new X509Certificate(text)) !== undefined) return text;
  files.refuse("webhook-ca", `${file} holds no certificate in PEM`);
  return undefined;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** `serve --self-signed`: a certificate for this run, and the file by which clients trust it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificateFor } from "../http/certificate.js";
import { nameOf } from "../http/host-names.js";
import type { TlsFiles } from "../http/server.js";
import { wallNow } from "../kernel/realtime.js";

const ALWAYS = ["localhost", "127.0.0.1", "::1"];
const LISTENS_ON_ALL = ["0.0.0.0", "::"];

interface SelfSigned {
  readonly tls: TlsFiles;
  /** Writes the authority's certificate into a folder of its own. */
  write(): Promise<{ readonly file: string; remove(): Promise<void> }>;
}

/** Makes the certificate for loopback, the host that the server listens on and the names under which it may be called. */
export function selfSigned({
  host,
  allowHosts = [],
}: {
  readonly host: string;
  readonly allowHosts?: readonly string[];
}): SelfSigned {
  const [plain = ""] = nameOf(host).split("%");
  const own = LISTENS_ON_ALL.includes(plain) ? [] : [plain];
  const names = new Set([...ALWAYS, ...own, ...allowHosts.map(nameOf)]);
  const { authority, tls } = certificateFor([...names], wallNow());
  return {
    tls,
    async write() {
      const folder = await mkdtemp(join(tmpdir(), "messaging-sim-"));
      const file = join(folder, "ca.pem");
      await writeFile(file, authority);
      return { file, remove: () => rm(folder, { recursive: true, force: true }) };
    },
  };
}

/** How clients come to trust it. */
export const trustText = (file: string): string => `  CA file    ${file} (for this run)
  trust it   NODE_EXTRA_CA_CERTS (Node), REQUESTS_CA_BUNDLE (Python requests), SSL_CERT_FILE (Python, Go, Ruby), curl --cacert
`;

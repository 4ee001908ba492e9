import { readFileSync } from "node:fs";
import { reasonOf } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { SERVER_ADDRESS } from "./port.js";

const DEFAULT_PORT = 6379;

/**
 * Reads `valkey://[USER[:PASSWORD]@]HOST[:PORT][/DB][?fsync=true&ca=FILE]`; `valkeys://` and `rediss://` are the same over
 * TLS.
 *
 * @throws UnusableDocument naming the problem
 */
export function valkeyAddress(text: string) {
  const location = maskedAddress(text);
  const refuse = (message: string): never => {
    throw new UnusableDocument([problemAt(["data"], `${message}, in ${location}`)]);
  };
  const isSecure = SERVER_ADDRESS.exec(text)?.[2] === "s";
  const plain = text.replace(SERVER_ADDRESS, "http://");
  if (!URL.canParse(plain)) return refuse("is not a server address");
  const { hostname, port, pathname, username, password, searchParams, hash } = new URL(plain);
  const [, db = "", rest] = /^\/?(\d{0,4})(.*)$/.exec(pathname) ?? [];
  if (rest !== "" || hash !== "") refuse("the number of a database must follow the port");
  const known = ["fsync", "ca"];
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`there is no parameter "${unknown}": known are ${known.join(", ")}`);
  const [fsync, ca] = [searchParams.get("fsync") ?? "false", searchParams.get("ca")];
  if (fsync !== "true" && fsync !== "false") refuse("fsync must be true or false");
  if (ca !== null && !isSecure) refuse("ca needs valkeys:// or rediss://");
  return {
    /** Without user and password, for messages. */
    location,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    // A URL leaves out the default port of its scheme.
    port: Number(port || (plain.match(/^http:\/\/[^/]*:80(?:[/?]|$)/) ? 80 : DEFAULT_PORT)),
    db: Number(db),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    /** The authority for checking its certificate, in PEM, or the system's; undefined without TLS. */
    tls: isSecure ? (ca === null ? {} : { ca: authority(ca, refuse) }) : undefined,
    /** A change counts as saved once it is on the server's disk (`WAITAOF`). */
    fsync: fsync === "true",
  };
}

function authority(file: string, refuse: (message: string) => never): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return refuse(`ca cannot be read: ${file}: ${reasonOf(error)}`);
  }
}

export type ValkeyAddress = ReturnType<typeof valkeyAddress>;

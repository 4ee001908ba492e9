import { readFileSync } from "node:fs";
import { maskedAddress } from "../kernel/masking.js";
import { reasonOf } from "../kernel/os-errors.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { SERVER_ADDRESS } from "./port.js";

const DEFAULT_PORT = 6379;
const MAX_REPLICAS = 16;

/** A server of `--data`, and what is asked of it. */
export interface ValkeyAddress {
  /** Without user and password, for messages. */
  readonly location: string;
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The authority that its certificate is checked against, in PEM, or the system's; undefined without TLS. */
  readonly tls: { readonly ca?: string } | undefined;
  /** The server is one of a cluster. */
  readonly cluster: boolean;
  /** So many replicas must have a change before it is safe (`WAIT`). */
  readonly replicas: number;
  /** A change is safe when the server has it on its disk (`WAITAOF`). */
  readonly fsync: boolean;
}

/**
 * Reads `valkey://[USER[:PASSWORD]@]HOST[:PORT][/DB][?cluster=true&replicas=N&fsync=true&ca=FILE]`; `valkeys://` and `rediss://`
 * are the same over TLS.
 *
 * @throws UnusableDocument that names what is wrong
 */
export function valkeyAddress(text: string): ValkeyAddress {
  const location = maskedAddress(text);
  const refuse = (message: string): never => {
    throw new UnusableDocument([problemAt(["data"], `${message}, in ${location}`)]);
  };
  const [, , secure] = SERVER_ADDRESS.exec(text) ?? [];
  const plain = text.replace(SERVER_ADDRESS, "http://");
  if (!URL.canParse(plain)) return refuse("is no address of a server");
  const { hostname, port, pathname, username, password, searchParams, hash } = new URL(plain);
  const [, db = "", rest] = /^\/?(\d{0,4})(.*)$/.exec(pathname) ?? [];
  if (rest !== "" || hash !== "") refuse("the number of a database must follow the port");
  const flag = (name: string): boolean => {
    const value = searchParams.get(name) ?? "false";
    if (value !== "true" && value !== "false") refuse(`${name} must be true or false`);
    return value === "true";
  };
  const known = ["cluster", "replicas", "fsync", "ca"];
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`there is no parameter "${unknown}": known are ${known.join(", ")}`);
  const replicas = Number(searchParams.get("replicas") ?? 0);
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MAX_REPLICAS)
    refuse(`replicas must be a number from 0 to ${MAX_REPLICAS}`);
  const [cluster, fsync, ca] = [flag("cluster"), flag("fsync"), searchParams.get("ca")];
  if (cluster && Number(db) > 0) refuse("a cluster has the database 0 only");
  if (cluster && (replicas > 0 || fsync)) refuse("replicas and fsync cannot be asked of a cluster");
  if (ca !== null && secure !== "s") refuse("ca needs valkeys:// or rediss://");
  return {
    location,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (plain.match(/^http:\/\/[^/]*:80(?:[/?]|$)/) ? 80 : DEFAULT_PORT)),
    db: Number(db),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    tls: secure === "s" ? (ca === null ? {} : { ca: authority(ca, refuse) }) : undefined,
    cluster,
    replicas,
    fsync,
  };
}

function authority(file: string, refuse: (message: string) => never): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return refuse(`ca cannot be read: ${file}: ${reasonOf(error)}`);
  }
}

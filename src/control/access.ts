import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ControlError } from "./control-error.js";

/** Who may use the control API (contract section 5, "Access"). */
export interface Access {
  /** Throws a `ControlError` for a call that may not be made. */
  check(request: IncomingMessage): void;
  /** Throws for a write that a page of another origin has a browser make: the only check of open routes. */
  checkOrigin(request: IncomingMessage): void;
  /** Whether the `Host` of a request is a name of this server; false hints at DNS rebinding. */
  hostAllowed(request: IncomingMessage): boolean;
}

interface AccessOptions {
  /** The bearer token that a call needs; without it every caller that uses one of the server's own names may call. */
  readonly controlToken?: string | undefined;
  /** The host that the server listens on. */
  readonly host: string;
  /** More names under which it may be called. */
  readonly allowHosts: readonly string[];
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);
const ELSEWHERE = new Set(["cross-site", "same-site"]);

/** @example createAccess({ host: "127.0.0.1", allowHosts: ["sim.test"] }).check(request); */
export function createAccess({ controlToken, host, allowHosts }: AccessOptions): Access {
  const names = new Set(["localhost", host, ...allowHosts].map(nameOf));
  const expected = controlToken === undefined ? undefined : digestOf(controlToken);

  const hostAllowed = ({ headers }: IncomingMessage): boolean => {
    if (headers.host === undefined) return true;
    const name = nameOf(headers.host);
    return isIP(name) !== 0 || names.has(name);
  };
  const checkOrigin = (request: IncomingMessage): void => {
    if (isForeignWrite(request)) throw new ControlError("access.crossOrigin");
  };
  const check = (request: IncomingMessage): void => {
    checkOrigin(request);
    if (expected !== undefined) {
      if (!timingSafeEqual(digestOf(bearerOf(request)), expected))
        throw new ControlError("access.unauthorized");
    } else if (!hostAllowed(request)) {
      const { host = "" } = request.headers;
      throw new ControlError("access.unknownHost", { host, name: nameOf(host) });
    }
  };
  return { check, checkOrigin, hostAllowed };
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

const bearerOf = ({ headers }: IncomingMessage): string =>
  /^Bearer +(\S.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim() ?? "";

/** The name in a `Host` header or option: without port, brackets and final dot, in lower case. */
function nameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (isIP(text) === 6) return text;
  const [, bracketed, plain = ""] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(text) ?? [];
  return bracketed ?? plain.replace(/\.$/, "");
}

/** Whether a page of another origin has a browser change something. */
function isForeignWrite({ method = "", headers }: IncomingMessage): boolean {
  if (READING.has(method)) return false;
  const { origin, host = "" } = headers;
  if (origin === undefined) return ELSEWHERE.has(String(headers["sec-fetch-site"]));
  if (!URL.canParse(origin)) return true;
  const { protocol, host: from } = new URL(origin);
  const own = `${protocol}//${host}`;
  return !/^https?:$/.test(protocol) || !URL.canParse(own) || new URL(own).host !== from;
}

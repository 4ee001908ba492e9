import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type HostNames, nameOf } from "../http/host-names.js";
import { ControlError } from "./control-error.js";
import type { ControlRoute } from "./route.js";

/** Who may use the control API (contract section 5, "Access"). */
export interface Access {
  /** Throws a `ControlError` for a call that may not be made, given whom the route is open to. */
  check(request: IncomingMessage, open?: ControlRoute["open"]): void;
}

interface AccessOptions {
  /** The bearer token that a call needs; without it every caller that uses one of the server's own names may call. */
  readonly controlToken?: string | undefined;
  /** The server's own names. */
  readonly names: HostNames;
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);
/** What `Sec-Fetch-Site` says of a page of the server's own, and of a person who typed the address. */
const OWN_SITES = new Set(["same-origin", "none"]);

/** @example createAccess({ names: new HostNames("127.0.0.1", ["sim.test"]) }).check(request); */
export function createAccess({ controlToken, names }: AccessOptions): Access {
  const expected = controlToken === undefined ? undefined : digestOf(controlToken);

  const check: Access["check"] = (request, open) => {
    if (isForeignWrite(request)) throw new ControlError("access.crossOrigin");
    if (open === true) return;
    if (open === "programs") {
      if (names.isRebound(request)) throw unknownHost(request);
    } else if (expected !== undefined) {
      if (!timingSafeEqual(digestOf(bearerOf(request)), expected))
        throw new ControlError("access.unauthorized");
    } else if (!names.knows(request)) {
      throw unknownHost(request);
    }
  };
  return { check };
}

const unknownHost = ({ headers: { host = "" } }: IncomingMessage): ControlError =>
  new ControlError("access.unknownHost", { host, name: nameOf(host) });

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

const bearerOf = ({ headers }: IncomingMessage): string =>
  /^Bearer +(\S.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim() ?? "";

/** Whether a page of another origin has a browser change something. */
function isForeignWrite({ method = "", headers }: IncomingMessage): boolean {
  if (READING.has(method)) return false;
  const { origin, host = "" } = headers;
  const { "sec-fetch-site": site } = headers;
  if (origin === undefined) return site !== undefined && !OWN_SITES.has(String(site));
  if (!URL.canParse(origin)) return true;
  const { protocol, host: from } = new URL(origin);
  const own = `${protocol}//${host}`;
  return !/^https?:$/.test(protocol) || !URL.canParse(own) || new URL(own).host !== from;
}

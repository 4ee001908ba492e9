import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { hostKind } from "../kernel/hosts.js";
import { type HostNames, hostsOf, nameOf } from "../kernel/http/target.js";
import { ControlError } from "./errors.js";
import type { ControlRoute } from "./route.js";

export type Access = ReturnType<typeof createAccess>;

interface AccessOptions {
  /** The bearer token that a call needs; without one, anybody who uses one of the server's own names may call. */
  readonly controlToken?: string | undefined;
  readonly names: HostNames;
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);
/** The values of `Sec-Fetch-Site` for the server's own pages, and for an address typed by a person. */
const OWN_SITES = new Set(["same-origin", "none"]);

/** @example createAccess({ names: new HostNames("127.0.0.1", ["sim.test"]) }).check(request); */
export function createAccess({ controlToken, names }: AccessOptions) {
  const expected = controlToken === undefined ? undefined : digestOf(controlToken);
  /** @throws ControlError for a call that is not allowed, given who may call the route */
  const check = (request: IncomingMessage, open?: ControlRoute["open"]): void => {
    if (isForeignWrite(request)) throw new ControlError("access.crossOrigin");
    if (open === true) return;
    if (open === "programs") {
      refuseHost(names.reboundOf(request));
    } else if (expected !== undefined) {
      if (!timingSafeEqual(digestOf(bearerOf(request)), expected))
        throw new ControlError("access.unauthorized");
    } else refuseHost(names.unknownOf(request));
  };
  /** Whether `?secrets=show` works: for callers with a control token, or on this machine if none is required. */
  return { check, showsSecrets: controlToken !== undefined || hostKind(names.host) === "loopback" };
}

function refuseHost(host: string | undefined): void {
  if (host === undefined) return;
  const name = nameOf(host);
  const hint = /^[\w.-]+$/.test(name) ? `: start it with --allow-host ${name} to accept it` : "";
  throw new ControlError("access.unknownHost", { host, hint });
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

const bearerOf = ({ headers }: IncomingMessage): string =>
  /^Bearer +(\S.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim() ?? "";

function isForeignWrite(request: IncomingMessage): boolean {
  if (READING.has(request.method ?? "")) return false;
  const { origin, "sec-fetch-site": site } = request.headers;
  if (origin === undefined) return site !== undefined && !OWN_SITES.has(String(site));
  if (!URL.canParse(origin)) return true;
  const { protocol, host: from } = new URL(origin);
  const isOther = (own: string) => !URL.canParse(own) || new URL(own).host !== from;
  return !/^https?:$/.test(protocol) || hostsOf(request).some((host = "") => isOther(`${protocol}//${host}`));
}

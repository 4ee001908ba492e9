/** Calls from browsers, where `cors.origins` lets them in; otherwise no word of it. */
import type { IncomingMessage } from "node:http";

const ALLOWED_METHODS = "GET, POST";
const ALLOWED_HEADERS = "token, content-type";
const EXPOSED_HEADERS = "X-Sim-Request, X-Sim-Behaviour, Retry-After";
const PREFLIGHT_AGE = "600";

const lets = (origin: string | undefined, origins: readonly string[]): origin is string =>
  origin !== undefined && (origins.includes("*") || origins.includes(origin));

/** Whether a call is a browser's question whether it may make another one. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** The headers that let the calling origin read the answer; none for an origin that is not let in. */
export function corsHeaders(request: IncomingMessage, origins: readonly string[]): string[] {
  const { origin } = request.headers;
  if (!lets(origin, origins)) return [];
  const headers = [
    "Access-Control-Allow-Origin",
    origin,
    "Vary",
    "Origin",
    "Access-Control-Expose-Headers",
    EXPOSED_HEADERS,
  ];
  if (request.method !== "OPTIONS") return headers;
  return [
    ...headers,
    "Access-Control-Allow-Methods",
    ALLOWED_METHODS,
    "Access-Control-Allow-Headers",
    ALLOWED_HEADERS,
    "Access-Control-Max-Age",
    PREFLIGHT_AGE,
  ];
}

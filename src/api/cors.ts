/** Cross-origin headers for the origins that `cors.origins` allows; answers to all others carry none. */
import type { IncomingMessage } from "node:http";

const ALLOWED_METHODS = "GET, POST";
const ALLOWED_HEADERS = "token, content-type";
const EXPOSED_HEADERS = "X-Sim-Request, X-Sim-Behaviour, Retry-After";
const PREFLIGHT_AGE = "600";

const isAllowed = (origin: string | undefined, origins: readonly string[]): origin is string =>
  origin !== undefined && (origins.includes("*") || origins.includes(origin));

/** Whether a request is a browser's preflight, which asks whether the browser may send the real request. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

/** The headers that let the calling origin read the answer, as a flat list; empty for an origin that is not allowed. */
export function corsHeaders(request: IncomingMessage, origins: readonly string[]): string[] {
  const { origin } = request.headers;
  if (!isAllowed(origin, origins)) return [];
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

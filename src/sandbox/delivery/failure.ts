import { OutboundRefused } from "./guard.js";

/** How far a request came before it failed. */
export type FailureStage = "guard" | "name" | "connection" | "tls" | "answer";

/** Why a request has no answer, in words for people. */
export interface Failure {
  readonly stage: FailureStage;
  readonly message: string;
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its authority is self-signed and not known",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its authority is not known",
  UNABLE_TO_GET_ISSUER_CERT: "its authority is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its authority is not known",
  CERT_UNTRUSTED: "its authority is not trusted",
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  CERT_REVOKED: "it was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another host",
};

const FAILURES: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: { stage: "connection", message: "connection refused: nothing listens there" },
  EHOSTUNREACH: { stage: "connection", message: "the host cannot be reached" },
  ENETUNREACH: { stage: "connection", message: "the network cannot be reached" },
  ETIMEDOUT: { stage: "connection", message: "the connection timed out" },
  EADDRNOTAVAIL: { stage: "connection", message: "there is no free local port or address to call from" },
  EMFILE: { stage: "connection", message: "too many files and connections are open" },
  ECONNRESET: { stage: "answer", message: "connection reset by the receiver" },
  EPIPE: { stage: "answer", message: "connection reset by the receiver" },
  UND_ERR_SOCKET: {
    stage: "answer",
    message: "the receiver closed the connection before its answer was complete",
  },
  UND_ERR_HEADERS_OVERFLOW: { stage: "answer", message: "invalid response: its headers are too large" },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    stage: "answer",
    message: "invalid response: its length is not what its headers say",
  },
};

/** Says in words what an error of a request means. `host` is what was called. */
export function describeFailure(error: Error, host: string): Failure {
  if (error instanceof OutboundRefused) return { stage: "guard", message: error.message };
  const code = codeOf(error);
  const known = FAILURES[code];
  if (known !== undefined) return known;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_NODATA")
    return { stage: "name", message: `the name ${host} was not found (${code})` };
  if (CERTIFICATE_PROBLEMS[code] !== undefined) {
    const options = "--webhook-ca FILE names an authority to trust, --webhook-insecure-tls trusts all";
    return {
      stage: "tls",
      message: `certificate refused: ${CERTIFICATE_PROBLEMS[code]} (${code}; ${options})`,
    };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO")
    return { stage: "tls", message: `no TLS connection: is it plain http? (${code})` };
  if (error.name === "AssertionError")
    return { stage: "answer", message: "invalid response: it is not HTTP/1.1" };
  if (error.name === "HTTPParserError")
    return { stage: "answer", message: `invalid response: ${error.message}` };
  return { stage: "answer", message: code === "" ? error.message : `${error.message} (${code})` };
}

/** The system's code of an error; of several addresses that all failed, that of the first. */
function codeOf(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code !== "" && FAILURES[code]?.stage !== "answer") return code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const innerCode = inner instanceof Error ? codeOf(inner) : "";
  return innerCode === "" ? code : innerCode;
}

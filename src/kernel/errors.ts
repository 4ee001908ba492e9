/** Receives errors for which no caller waits. */
export type OnError = (error: unknown) => void;

/**
 * Runs the callback of a timer, an event or a promise. Whatever it throws, now or later, is reported and does not propagate,
 * so it cannot end the process.
 */
export function runSafely(report: OnError, work: () => unknown): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EMFILE: "too many open files",
  EADDRNOTAVAIL: "no free local port or address is left",
  ECONNREFUSED: "connection refused: nothing is listening at the address",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an unknown authority",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** Whether this is an operating system error with the given code, such as ENOENT. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** Why the operating system refused a file, a connection or a program, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = "code" in error ? REASONS[String(error.code)] : undefined;
  if (reason !== undefined) return reason;
  const [first] = error instanceof AggregateError ? error.errors : [error.cause];
  return first instanceof Error ? reasonOf(first) : error.message;
}

/** The simulator's messages to its operator; silent unless a logger is passed in. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => {};

export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

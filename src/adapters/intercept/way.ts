/** Which calls are intercepted, and the simulator's address. */
import { urlFrom } from "../../protocol/names.js";

const DEFAULT_URL = "http://127.0.0.1:4020";

/** A variable has an invalid value. */
export class Unusable extends Error {}

export interface Way {
  /** The simulator's origin. */
  readonly simulator: URL;
  /** Whether an address belongs to an intercepted host. */
  takes(address: URL): boolean;
  /** The error message if the simulator cannot be reached. */
  failure(address: URL, cause: unknown): Error;
}

/** Reads the variables. @throws Unusable */
export function wayOf(env: Readonly<Record<string, string | undefined>>): Way {
  const { MESSAGING_SIM_INTERCEPT: hosts = "", MESSAGING_SIM_URL: url = "" } = env;
  const simulator = originOf(url || DEFAULT_URL);
  const names = hosts.split(",").filter((text) => text.trim() !== "");
  if (names.length === 0)
    throw new Unusable(
      "MESSAGING_SIM_INTERCEPT names no host; for example MESSAGING_SIM_INTERCEPT=api.example",
    );
  const taken = new Set(names.map(hostOf));
  return {
    simulator,
    takes: (address) => {
      const { protocol, hostname } = address;
      if ((protocol !== "http:" && protocol !== "https:") || address.origin === simulator.origin)
        return false;
      const port = address.port || (protocol === "https:" ? "443" : "80");
      return taken.has(hostname) || taken.has(`${hostname}:${port}`);
    },
    failure: ({ host }, cause) =>
      Object.assign(
        new Error(
          `messaging-sim does not answer at ${simulator.origin}: ${reasonOf(cause)} ` +
            `(MESSAGING_SIM_INTERCEPT sends calls of ${host} there; MESSAGING_SIM_URL says where it is)`,
          { cause },
        ),
        { code: codeOf(cause) },
      ),
  };
}

function originOf(text: string): URL {
  const url = urlFrom(text);
  if (url === undefined)
    throw new Unusable(`MESSAGING_SIM_URL must be an address such as ${DEFAULT_URL}, but is "${text}"`);
  return new URL(new URL(url).origin);
}

/** A host in URL form, with its port if it has one. */
function hostOf(text: string): string {
  const [, name = "", port] = /^\s*(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?\s*$/i.exec(text) ?? [];
  const plain = `http://${name}`;
  if (name === "" || !URL.canParse(plain) || Number(port ?? 0) > 65_535)
    throw new Unusable(
      `MESSAGING_SIM_INTERCEPT must list hosts such as api.example or api.example:8443, but has "${text}"`,
    );
  const { hostname } = new URL(plain);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

/** The code of a system error. Under Jest, Node's errors are not instances of its own `Error`. */
export const codeOf = (error: unknown): string | undefined => {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
};

/** The simulator closed the connection, as a fault does: the program gets the same error as without the interceptor. */
export const isHangUp = (error: unknown): boolean =>
  /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(codeOf(error) ?? "");

const reasonOf = (error: unknown): string => {
  const { message } = Object(error) as { readonly message?: unknown };
  return String(message || (codeOf(error) ?? error));
};

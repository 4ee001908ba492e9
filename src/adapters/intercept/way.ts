/** Which calls are intercepted, and the simulator's address. */
import { urlFrom } from "../../kernel/names.js";

const DEFAULT_URL = "http://127.0.0.1:4020";

export class Unusable extends Error {}

/** Marks what is patched already: Jest loads the interceptor once per test file, but Node's modules once. */
export const PATCHED = Symbol.for("messaging-sim.intercept");

export interface Way {
  readonly simulator: URL;
  takes(address: URL): boolean;
}

export function wayOf(env: Readonly<Record<string, string | undefined>>): Way {
  const { MESSAGING_SIM_INTERCEPT: hosts = "", MESSAGING_SIM_URL: url = "" } = env;
  const simulator = originOf(url || DEFAULT_URL);
  const names = hosts.split(",").filter((text) => text.trim() !== "");
  if (names.length === 0)
    throw new Unusable(
      "MESSAGING_SIM_INTERCEPT lists no host; set, for example, MESSAGING_SIM_INTERCEPT=api.example",
    );
  const taken = new Set(names.map(hostOf));
  return {
    simulator,
    takes: ({ protocol, hostname, origin, port }) => {
      if ((protocol !== "http:" && protocol !== "https:") || origin === simulator.origin) return false;
      const name = hostname.replace(/\.$/, "");
      return taken.has(name) || taken.has(`${name}:${port || (protocol === "https:" ? "443" : "80")}`);
    },
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

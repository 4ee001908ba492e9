import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { isIP, isIPv6 } from "node:net";
import { urlToHttpOptions } from "node:url";
import { PATCHED, type Way } from "./way.js";

type Options = Omit<http.RequestOptions, "agent"> & { readonly agent?: http.Agent | false };
type Call = (...args: readonly unknown[]) => unknown;

/**
 * Makes `node:http` and `node:https` connect calls for intercepted hosts to the simulator. Everything else about a call, such as its
 * path, timeouts and errors, stays Node's own; calls to other hosts are handed on as they are.
 */
export function redirectHttp(way: Way): void {
  if (PATCHED in http.request) return;
  const connect = connector(way);
  for (const [scheme, module] of [
    ["http:", http],
    ["https:", https],
  ] as const) {
    const redirected = (args: readonly unknown[]) => {
      const options = optionsOf(args);
      const { agent, defaultPort = scheme === "https:" ? 443 : 80 } = options;
      const address = addressOf(options, scheme, defaultPort);
      if (address === undefined || !way.takes(address)) return args;
      const own = agent || (agent === false ? new module.Agent() : module.globalAgent);
      const redirecting = Object.create(own, { addRequest: { value: connect } });
      const changed = { ...options, agent: redirecting, createConnection: undefined };
      return [changed, args.slice(1).find((arg) => typeof arg === "function")];
    };
    for (const name of ["request", "get"] as const) {
      const original = module[name] as Call;
      const patched: Call = (...args) => original(...redirected(args));
      Object.assign(module, { [name]: Object.assign(patched, { [PATCHED]: true }) });
    }
    if (module === http)
      http.ClientRequest = new Proxy(http.ClientRequest, {
        construct: (target, args, made) => Reflect.construct(target, redirected(args), made),
      });
  }
  // Programs with a named import of `request` get the patched function, too.
  syncBuiltinESMExports();
}

/** The options of a call, merged as Node merges them from an address and an object. */
function optionsOf(args: readonly unknown[]): Options {
  const parts = args.map((arg) => {
    if (typeof arg === "string") return urlToHttpOptions(new URL(arg));
    if (typeof arg === "function") return {};
    const { href, protocol, auth, path } = Object(arg);
    return href && protocol && auth === undefined && path === undefined ? urlToHttpOptions(arg as URL) : arg;
  });
  return Object.assign({}, ...parts);
}

/** Where a call goes. A call through a proxy names its target in the path. */
function addressOf(options: Options, scheme: string, defaultPort: number | string): URL | undefined {
  const { protocol, hostname, host, port, path, socketPath } = options;
  if (socketPath) return undefined;
  const name = hostname || host || "localhost";
  const text = /^https?:\/\//i.test(path ?? "")
    ? String(path)
    : `${protocol || scheme}//${isIPv6(name) ? `[${name}]` : name}:${port || defaultPort}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Sends a request over a connection to the simulator, in place of its agent's `addRequest`. */
function connector({ simulator }: Way) {
  const { hostname, protocol } = simulator;
  const host = hostname.replace(/^\[|\]$/g, "");
  const isSecure = protocol === "https:";
  const address = {
    host,
    port: simulator.port || (isSecure ? 443 : 80),
    servername: isIP(host) ? "" : host,
  };
  const agent = new (isSecure ? https : http).Agent({ keepAlive: true });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    // Some clients send an HTTPS call only then.
    if (!isSecure) socket?.once("connect", () => socket.emit("secureConnect"));
    return socket;
  };
  return (request: http.ClientRequest) => {
    if (!request.headersSent) request.setHeader("host", simulator.host);
    // @ts-expect-error Node does not document it, but calls it on every agent.
    agent.addRequest(request, { ...address });
  };
}

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isIPv6 } from "node:net";
import type { DeliveryService } from "../delivery/service.js";
import { later } from "../kernel/realtime.js";
import type { SandboxRegistry } from "../sandbox/registry.js";

/** Resolves when the server accepts connections. @throws the system's error, such as EADDRINUSE */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** The address under which the server can be reached from this machine. */
export function urlOf(server: Server, host: string, tls: boolean): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls ? "https" : "http"}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Takes no more connections, gives what is under way up to `graceMs`, then ends it. */
export async function shutDown(
  server: Server,
  registry: SandboxRegistry,
  delivery: DeliveryService,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (graceMs > 0) {
    const settled = Promise.all(
      [...registry.all()].map(({ run: { calls, outbox } }) => calls.settled().then(() => outbox.settled())),
    );
    await Promise.race([
      settled,
      new Promise<void>((resolve) => later(graceMs, resolve, { background: true })),
    ]);
  }
  for (const sandbox of registry.all()) sandbox.close();
  server.closeAllConnections();
  await Promise.all([closed, delivery.close()]);
}

/** How the server begins to listen, and how it ends: waits are answered, calls in flight get their time, connections close. */

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { Connections } from "../kernel/http/server.js";
import { monotonicNow, nextTurn, sleep, within } from "../kernel/realtime.js";
import type { DeliveryService } from "../sandbox/delivery/service.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Ownership } from "../storage/ownership.js";

/** @returns the address at which the server can be reached from this machine */
export async function listen(
  server: Server,
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: boolean },
): Promise<string> {
  await once(server.listen({ host, port }), "listening");
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  // Unlike isIPv6, this first looks for an IPv4 address: node compiles its pattern of the others for milliseconds.
  const name = isIP(reachable) === 6 ? `[${reachable}]` : reachable;
  return `${tls ? "https" : "http"}://${name}:${(server.address() as AddressInfo).port}`;
}

/** Even without a grace period, calls that end with their sandbox get this long to be answered. */
const ANSWER_MS = 250;
const BETWEEN_LOOKS_MS = 10;

/** Stops accepting connections, waits up to `graceMs` for calls in flight, then ends them. */
export async function shutDown(
  server: Server,
  registry: SandboxRegistry,
  delivery: DeliveryService,
  connections: Connections,
  graceMs: number,
  ownership: Ownership | undefined,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const ends = monotonicNow() + graceMs;
  ownership?.end();
  const sandboxes = [...registry.all()];
  server.closeIdleConnections();
  const settled = sandboxes.map(({ run: { calls, outbox } }) => calls.settled().then(() => outbox.settled()));
  if (graceMs > 0) await within(graceMs, Promise.all(settled));
  for (const sandbox of sandboxes) sandbox.close();
  const answered = sandboxes.map(({ controlCalls }) => controlCalls.settled());
  await within(Math.max(ANSWER_MS, ends - monotonicNow()), Promise.all(answered));
  await nextTurn();
  const isWriting = () => [...connections].some(({ writableLength }) => writableLength > 0);
  while (isWriting() && monotonicNow() < ends) await sleep(BETWEEN_LOOKS_MS);
  server.closeAllConnections();
  await Promise.all([closed, delivery.close()]);
}

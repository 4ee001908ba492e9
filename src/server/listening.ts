import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import type { Admission } from "../kernel/http/admission.js";
import { monotonicNow, nextTurn, sleep, within } from "../kernel/realtime.js";
import type { DeliveryService } from "../sandbox/delivery/service.js";
import type { SandboxRegistry } from "../sandbox/registry.js";

/** The turns of the event loop that a wait takes to be answered after it ended. */
const TURNS_OF_AN_ANSWER = 4;

/** Resolves when the server accepts connections. @throws the system's error, such as EADDRINUSE */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen({ port, host });
  await once(server, "listening");
}

/** The address at which the server can be reached from this machine. */
export function urlOf(server: Server, host: string, tls: boolean): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls ? "https" : "http"}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Ends all waits and lets them be answered: a wait continues in a later turn. */
async function answerWaits(registry: SandboxRegistry): Promise<void> {
  const sandboxes = [...registry.all()];
  const isWaitedFor = sandboxes.some(({ openWaits }) => openWaits > 0);
  for (const sandbox of sandboxes) sandbox.waiters.stop();
  for (let turn = 0; isWaitedFor && turn < TURNS_OF_AN_ANSWER; turn += 1) await nextTurn();
}

const BETWEEN_LOOKS_MS = 10;

/** Stops accepting connections, waits up to `graceMs` for calls in flight, then ends them. */
export async function shutDown(
  server: Server,
  registry: SandboxRegistry,
  delivery: DeliveryService,
  load: Pick<Admission, "isAnswering">,
  graceMs: number,
  ownership?: { close(graceMs: number): Promise<void> },
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const ends = monotonicNow() + graceMs;
  await ownership?.close(graceMs);
  await answerWaits(registry);
  server.closeIdleConnections();
  const settled = [...registry.all()].map(({ run: { calls, outbox } }) =>
    calls.settled().then(() => outbox.settled()),
  );
  if (graceMs > 0) await within(graceMs, Promise.all(settled));
  for (const sandbox of registry.all()) sandbox.close();
  // Answers are still being written, and no sandbox counts calls to sinks.
  while (load.isAnswering && monotonicNow() < ends) await sleep(BETWEEN_LOOKS_MS);
  server.closeAllConnections();
  await Promise.all([closed, delivery.close()]);
}

import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { TlsFiles } from "../../src/kernel/http/server.js";

/** Starts a server on loopback that ends with the test, and returns its origin. */
export async function serverOf(listener: RequestListener, tls?: TlsFiles): Promise<string> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A receiver that answers only once it is let. */
export async function heldReceiver() {
  const events = new EventEmitter();
  const [arrived, released] = [once(events, "arrived"), once(events, "released")];
  const url = await serverOf((_request, response) => {
    events.emit("arrived");
    void released.then(() => response.end());
  });
  return { url: `${url}/`, arrived, release: () => void events.emit("released") };
}

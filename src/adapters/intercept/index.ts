/**
 * Sends an unchanged program's calls to some hosts to the simulator: `node --import messaging-sim/intercept app.js`.
 * `MESSAGING_SIM_INTERCEPT` names the hosts, `MESSAGING_SIM_URL` the simulator.
 */
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { ClientRequestInterceptor } from "@mswjs/interceptors/ClientRequest";
import { FetchInterceptor } from "@mswjs/interceptors/fetch";
import { printable } from "../../kernel/printable.js";
import { forwarder } from "./forward.js";
import { redirectDispatchers } from "./undici.js";
import { Unusable, wayOf } from "./way.js";

/** The same error in this realm: under Jest, Node's errors are of another realm, and the interceptor does not recognize them. */
const errorHere = (error: unknown): Error =>
  error instanceof Error ? error : Object.assign(new Error((error as Error).message), error);

/** The exit code for invalid settings. */
const UNUSABLE = 2;

try {
  const way = wayOf(process.env);
  // Before anything is patched: calls to the simulator are not intercepted.
  const forward = forwarder(way, way.simulator.protocol === "https:" ? https.request : http.request);
  const intercept = (
    interceptor: ClientRequestInterceptor | FetchInterceptor,
    told: (error: Error) => Error,
  ) => {
    interceptor.on("request", async ({ request, controller }) => {
      if (!way.takes(new URL(request.url))) return;
      try {
        controller.respondWith(await forward(request));
      } catch (error) {
        // If the call was aborted, the program already knows.
        if (request.signal.aborted) return;
        controller.errorWith(told(errorHere(error)));
      }
    });
    interceptor.apply();
  };
  intercept(new ClientRequestInterceptor(), (error) => error);
  intercept(new FetchInterceptor(), (cause) => new TypeError("fetch failed", { cause }));
  // Programs with a named import of `request` get the patched function, too.
  syncBuiltinESMExports();
  redirectDispatchers(way);
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  process.stderr.write(`messaging-sim/intercept: ${printable(error.message)}\n`);
  process.exit(UNUSABLE);
}

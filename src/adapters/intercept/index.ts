/**
 * Sends an unchanged program's calls to some hosts to the simulator: `node --import messaging-sim/intercept app.js`.
 * `MESSAGING_SIM_INTERCEPT` names the hosts, `MESSAGING_SIM_URL` the simulator.
 */
import { printable } from "../../kernel/printable.js";
import { redirectHttp } from "./http.js";
import { redirectFetch } from "./undici.js";
import { Unusable, wayOf } from "./way.js";

const UNUSABLE = 2;

try {
  const way = wayOf(process.env);
  redirectHttp(way);
  redirectFetch(way);
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  process.stderr.write(`messaging-sim/intercept: ${printable(error.message)}\n`);
  process.exit(UNUSABLE);
}

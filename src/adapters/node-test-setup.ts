/**
 * One simulator for a whole run of `node --test`, with `--test-global-setup` (Node 24). Without it, each file starts its own.
 *
 * @example
 * // test/setup.js
 * export { globalSetup, globalTeardown } from "messaging-sim/node-test/setup";
 */
export { setUpRun as globalSetup, tearDownRun as globalTeardown } from "./run-server.js";

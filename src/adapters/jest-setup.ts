/**
 * One simulator for a whole Jest run, with any number of workers. Without it, each file starts its own.
 *
 * @example
 * // jest.config.js
 * module.exports = { globalSetup: "messaging-sim/jest/setup", globalTeardown: "messaging-sim/jest/teardown" };
 */
export { setUpRun as default } from "./run-server.js";

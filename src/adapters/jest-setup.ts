/**
 * One simulator for a whole run of Jest, however many workers it has. Without it each file starts its own.
 *
 * @example
 * // jest.config.js
 * module.exports = { globalSetup: "messaging-sim/jest/setup", globalTeardown: "messaging-sim/jest/teardown" };
 */
export { setUpRun as default } from "./run-server.js";

/** Stops the simulator that `messaging-sim/jest/setup` started. */
export { tearDownRun as default } from "./run-server.js";

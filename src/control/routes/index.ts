import { METRICS_ROUTES } from "../metrics.js";
import { DATA_ROUTES } from "./data.js";
import { COVERAGE_ROUTES, SCENARIOS_ROUTES } from "./scenarios.js";
import { CONNECT_ROUTES, SANDBOXES_ROUTES, SERVER_ROUTES } from "./server.js";
import { SINKS_ROUTES } from "./sinks.js";
import { BEHAVIOUR_ROUTES, CLOCK_ROUTES, FAULTS_ROUTES, STATE_ROUTES } from "./state.js";
import { THREADS_ROUTES } from "./threads.js";
import { STREAM_ROUTES, TRAFFIC_ROUTES } from "./traffic.js";
import { WAITING_ROUTES } from "./waiting.js";

export const ROUTES = [
  ...SERVER_ROUTES,
  ...SANDBOXES_ROUTES,
  ...STATE_ROUTES,
  ...DATA_ROUTES,
  ...CLOCK_ROUTES,
  ...THREADS_ROUTES,
  ...CONNECT_ROUTES,
  ...TRAFFIC_ROUTES,
  ...WAITING_ROUTES,
  ...FAULTS_ROUTES,
  ...BEHAVIOUR_ROUTES,
  ...SINKS_ROUTES,
  ...SCENARIOS_ROUTES,
  ...COVERAGE_ROUTES,
  ...STREAM_ROUTES,
  ...METRICS_ROUTES,
];

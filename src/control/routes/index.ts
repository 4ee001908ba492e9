import { METRICS_ROUTES } from "../metrics.js";
import { DATA_ROUTES } from "./data.js";
import { SCENARIOS_ROUTES } from "./scenarios.js";
import { SERVER_ROUTES } from "./server.js";
import { SINKS_ROUTES } from "./sinks.js";
import { STATE_ROUTES } from "./state.js";
import { THREADS_ROUTES } from "./threads.js";
import { TRAFFIC_ROUTES } from "./traffic.js";
import { WAITING_ROUTES } from "./waiting.js";

export const ROUTES = [
  ...SERVER_ROUTES,
  ...STATE_ROUTES,
  ...DATA_ROUTES,
  ...THREADS_ROUTES,
  ...TRAFFIC_ROUTES,
  ...WAITING_ROUTES,
  ...SINKS_ROUTES,
  ...SCENARIOS_ROUTES,
  ...METRICS_ROUTES,
];

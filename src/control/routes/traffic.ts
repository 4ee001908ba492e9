import type { ControlRoute } from "../route.js";

export const TRAFFIC_ROUTES: readonly ControlRoute[] = [];

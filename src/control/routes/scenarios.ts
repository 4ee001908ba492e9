import type { ControlRoute } from "../route.js";

export const SCENARIOS_ROUTES: readonly ControlRoute[] = [];

import type { ControlRoute } from "../route.js";

export const CLOCK_ROUTES: readonly ControlRoute[] = [];

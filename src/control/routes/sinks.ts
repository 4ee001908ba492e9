import type { ControlRoute } from "../route.js";

export const SINKS_ROUTES: readonly ControlRoute[] = [];

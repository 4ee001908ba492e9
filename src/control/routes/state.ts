import type { ControlRoute } from "../route.js";

export const STATE_ROUTES: readonly ControlRoute[] = [];

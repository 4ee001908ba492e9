import type { ControlRoute } from "../route.js";

export const DATA_ROUTES: readonly ControlRoute[] = [];

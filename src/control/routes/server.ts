import type { ControlRoute } from "../route.js";

export const SERVER_ROUTES: readonly ControlRoute[] = [];

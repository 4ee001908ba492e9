import type { ControlRoute } from "../route.js";

export const WAITING_ROUTES: readonly ControlRoute[] = [];

import type { ControlRoute } from "../route.js";

export const BEHAVIOUR_ROUTES: readonly ControlRoute[] = [];

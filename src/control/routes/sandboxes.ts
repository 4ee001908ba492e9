import type { ControlRoute } from "../route.js";

export const SANDBOXES_ROUTES: readonly ControlRoute[] = [];

import type { ControlRoute } from "../route.js";

export const THREADS_ROUTES: readonly ControlRoute[] = [];

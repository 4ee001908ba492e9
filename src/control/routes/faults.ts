import type { ControlRoute } from "../route.js";

export const FAULTS_ROUTES: readonly ControlRoute[] = [];

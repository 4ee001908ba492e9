import type { ControlRoute } from "../route.js";

export const STREAM_ROUTES: readonly ControlRoute[] = [];

import { BOUNDS } from "../bounds.js";

/** Says, on every call that the simulator makes, how many calls of its own led to it, that one included. */
export const HOPS_HEADER = "x-sim-hops";

/** Says who makes a call, where that is neither the system under test nor its test. */
export const CALL_MAKER_HEADER = "x-sim-by";

/** Says in which sandbox a scenario runs whose call has no token, which else would say it. */
export const SANDBOX_HEADER = "x-sim-sandbox";

/** How many calls of the simulator may lead to one another: more of them go round in a circle. */
export const MAX_HOPS = BOUNDS.hops.limit;

/** How many calls of the simulator led to a call with this value of the header. */
export const readHops = (value: unknown): number =>
  typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : 0;

import { SERVICE } from "./service.js";

/** The rows, in the order of the specification. */
export const CHAPTERS = { service: SERVICE };

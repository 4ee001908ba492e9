import type { Proofs } from "../row.js";
import type { CHAPTERS } from "../rows/index.js";
import { authentication } from "./authentication.js";
import { endpoints } from "./endpoints.js";
import { errors } from "./errors.js";
import { events } from "./events.js";
import { resources } from "./resources.js";
import { webhooks } from "./webhooks.js";

/** A test for each row. */
export const PROOFS: { [C in keyof typeof CHAPTERS]: Proofs<(typeof CHAPTERS)[C]> } = {
  resources,
  endpoints,
  webhooks,
  authentication,
  events,
  errors,
};

import { AUTHENTICATION } from "./authentication.js";
import { ENDPOINTS } from "./endpoints.js";
import { ERRORS } from "./errors.js";
import { EVENTS } from "./events.js";
import { RESOURCES } from "./resources.js";
import { WEBHOOKS } from "./webhooks.js";

/** The rows, in the order of the specification. */
export const CHAPTERS = {
  resources: RESOURCES,
  endpoints: ENDPOINTS,
  webhooks: WEBHOOKS,
  authentication: AUTHENTICATION,
  events: EVENTS,
  errors: ERRORS,
};

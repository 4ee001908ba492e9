import { AUTHENTICATION } from "./authentication.js";
import { CALLS } from "./calls.js";
import { ERRORS } from "./errors.js";
import { EVENTS } from "./events.js";
import { GRAPHQL } from "./graphql.js";
import { LEGACY } from "./legacy.js";
import { RESOURCES } from "./resources.js";
import { SERVICE } from "./service.js";
import { STATES } from "./states.js";
import { THREADS } from "./threads.js";
import { WEBHOOKS } from "./webhooks.js";
import { WIDGET } from "./widget.js";

/** The rows, in the order of the specification. */
export const CHAPTERS = {
  service: SERVICE,
  resources: RESOURCES,
  states: STATES,
  calls: CALLS,
  threads: THREADS,
  widget: WIDGET,
  webhooks: WEBHOOKS,
  graphql: GRAPHQL,
  authentication: AUTHENTICATION,
  events: EVENTS,
  legacy: LEGACY,
  errors: ERRORS,
};

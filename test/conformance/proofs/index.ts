import type { Proofs } from "../row.js";
import type { CHAPTERS } from "../rows/index.js";
import { authentication } from "./authentication.js";
import { calls } from "./calls.js";
import { errors } from "./errors.js";
import { events } from "./events.js";
import { graphql } from "./graphql.js";
import { legacy } from "./legacy.js";
import { resources } from "./resources.js";
import { service } from "./service.js";
import { states } from "./states.js";
import { threads } from "./threads.js";
import { webhooks } from "./webhooks.js";
import { widget } from "./widget.js";

/** A test for each row. */
export const PROOFS: { [C in keyof typeof CHAPTERS]: Proofs<(typeof CHAPTERS)[C]> } = {
  service,
  resources,
  states,
  calls,
  threads,
  widget,
  webhooks,
  graphql,
  authentication,
  events,
  legacy,
  errors,
};

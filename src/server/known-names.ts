import { OPERATIONS } from "../api/operations/index.js";
import { isObject } from "../kernel/json.js";
import type { KnownNames } from "../scenarios/step.js";
import {
  legacyPayloadSchema,
  messageEventSchema,
  transferEventSchema,
} from "../service/domain/event-payload-schemas.js";

/** The paths of the simulated API, and the fields of what is sent to it and by it. */
export const knownNames = (): KnownNames => ({
  paths: OPERATIONS.map(({ path }) => path),
  requestFields: fieldsOf(OPERATIONS),
  deliveryFields: fieldsOf([messageEventSchema, transferEventSchema, legacyPayloadSchema]),
});

/** The names of all properties in schemas, of any depth. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = isObject(value) && isObject(value.properties) ? Object.keys(value.properties) : [];
  return [...new Set([...own, ...Object.values(value).flatMap(fieldsOf)])];
}

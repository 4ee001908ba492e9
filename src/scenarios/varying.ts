/** What differs from server to server in a call and its answer, and what must stay secret, for comparisons and recordings. */

import { mapLeaves } from "../kernel/json.js";
import { isCredentialName, MASK, masked } from "../kernel/masking.js";

/** Whether a field holds an id: each server gives its own. */
export const isIdField = (name: string): boolean =>
  /^(?:id|uuid|sid)$|(?:Ids?|ID|UUID|Uuid|Sid)$|_id$/.test(name);

/** Whether a field holds an instant, which differs from run to run. */
export const isTimeField = (name: string): boolean =>
  /^(?:at|now|timestamp|date|time)$|(?:Timestamp|[a-z]At|Date|Time)$|_at$/.test(name);

/** What a scenario has in place of a secret: it can stand in a header, where a mask cannot. */
export const STAND_IN = "***";
/** A mask with the end of the secret that it shows. */
const MASKED_PART = new RegExp(`${MASK}[^@&;#]{0,2}`, "gu");

/**
 * A copy of a value without secrets: what answers of the simulator mask, and the values of keys that name a secret. The same value always
 * becomes the same, so that a replay sends and gets it back alike.
 */
export const withoutSecrets = (value: unknown, key = ""): unknown =>
  mapLeaves(
    masked(value, key),
    (leaf, name) =>
      typeof leaf !== "string"
        ? leaf
        : isCredentialName(name)
          ? STAND_IN
          : leaf.replace(MASKED_PART, STAND_IN),
    key,
  );

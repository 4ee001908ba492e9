/** What control calls name: sandboxes and instants. */
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { instantOf, isInRange } from "../kernel/realtime.js";
import { anyOf, integer, string } from "../kernel/schema.js";
import { preview } from "../kernel/words.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { DEFAULT_SANDBOX } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { ControlError } from "./control-error.js";

/** @throws ControlError where there is no sandbox with this id */
export function sandboxWithId(registry: SandboxRegistry, id: string): Sandbox {
  const sandbox = registry.get(id);
  if (sandbox === undefined) throw new ControlError("sandboxes.notFound", { id });
  return sandbox;
}

/** The API key that means a token of a sandbox's world: it decides to which sandbox a call belongs. */
export const apiKeyIn = ({ id }: Pick<Sandbox, "id">, token: string): string =>
  id === DEFAULT_SANDBOX ? token : `${id}.${token}`;

/** An instant as callers write it. */
export const instantSchema = anyOf([string(), integer()], {
  description:
    "an instant from 1970 to 9999: milliseconds, or ISO 8601 (a date with or without a time up to 23:59:59.999; Z, an offset or neither for UTC)",
});

/** The milliseconds of an instant that a caller wrote at `path`, or what is wrong with it. */
export function instantIn(value: string | number, path: string): number | Problem {
  const instant = instantOf(value);
  if (isInRange(instant)) return instant;
  return problemAt(
    [path],
    `must be an ISO instant or milliseconds, between the years 1970 and 9999, but is ${preview(value)}`,
  );
}

import type { Schema } from "../../kernel/schema.js";
import type { BehaviourEntry } from "./entry.js";

/** The values of an entry besides its default, if they are few; otherwise undefined. */
export const alternativesOf = ({
  schema,
  default: preset,
}: Pick<BehaviourEntry, "schema" | "default">): readonly unknown[] | undefined =>
  valuesOf(schema)?.filter((value) => value !== preset);

/** All values that a schema accepts, if they are few; otherwise undefined. */
function valuesOf({ enum: values, const: constant, anyOf, type }: Schema): readonly unknown[] | undefined {
  if (values !== undefined) return values;
  if (constant !== undefined) return [constant];
  if (type === "null") return [null];
  const branches = anyOf?.map(valuesOf);
  return branches?.every((branch) => branch !== undefined) ? branches.flat() : undefined;
}

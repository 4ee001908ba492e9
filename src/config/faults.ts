import { isObject } from "../kernel/json.js";
import type { Problem } from "../kernel/problems.js";
import { under } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { FaultInput } from "../sandbox/faults.js";

/** What is wrong with a list of faults (contract section 5). */
export async function faultProblems(value: unknown): Promise<readonly Problem[]> {
  const [{ createAjv }, { faultSchema, problemsOf }, { array }] = await Promise.all([
    import("../kernel/ajv.js"),
    import("../sandbox/faults.js"),
    import("../kernel/schema.js"),
  ]);
  const validate = createAjv().compile<FaultInput[]>(array(faultSchema));
  if (!validate(value)) return schemaProblems(validate.errors, value);
  return value.flatMap((fault, index) => problemsOf(fault).map((problem) => under([index], problem)));
}

/** The faults of a file: a list, or one on its own. */
export const faultList = (value: unknown): unknown => (isObject(value) ? [value] : value);

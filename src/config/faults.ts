import type { Problem } from "../kernel/problems.js";
import { under } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { FaultInput } from "../sandbox/faults.js";

/** A list of faults (contract section 5), or everything that is wrong with it. */
export async function checkFaults(value: unknown): Promise<{ problems: Problem[]; faults: FaultInput[] }> {
  const [{ createAjv }, { faultSchema, problemsOf }, { array }] = await Promise.all([
    import("../kernel/ajv.js"),
    import("../sandbox/faults.js"),
    import("../kernel/schema.js"),
  ]);
  const validate = createAjv().compile<FaultInput[]>(array(faultSchema));
  if (!validate(value)) return { problems: schemaProblems(validate.errors, value), faults: [] };
  const problems = value.flatMap((fault, index) =>
    problemsOf(fault).map((problem) => under([index], problem)),
  );
  return { problems, faults: problems.length > 0 ? [] : value };
}

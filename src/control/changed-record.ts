import type { Rule } from "../domain/transaction.js";
import type { JsonAnswer } from "../http/answer.js";
import type { CollectionName, Records } from "../world/records.js";
import type { ControlCall } from "./route.js";

/** Runs a rule and replies with the record that it returns, as readers see it afterwards. */
export function changedRecord<C extends CollectionName, Input>(
  { run, cause }: Pick<ControlCall, "run" | "cause">,
  collection: C,
  rule: Rule<Input, Records[C]>,
  input: Input,
): JsonAnswer {
  const record = run.transact(cause(), rule, input);
  return { body: run.shown().show(collection, record) };
}

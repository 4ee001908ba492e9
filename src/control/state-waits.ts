/** Waiting until the state holds a record. */
import type { ServerResponse } from "node:http";
import type { HttpAnswer } from "../http/answer.js";
import { closedProblems } from "../kernel/closed-values.js";
import { patternProblems } from "../kernel/matching.js";
import { keyProblemAt } from "../kernel/problems.js";
import type { Infer } from "../kernel/schema.js";
import { object, oneOf, optional, record, string, unknown } from "../kernel/schema.js";
import { unknownKey } from "../kernel/words.js";
import { RECORD_VALUES } from "../sandbox/match.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { nearestRecords } from "../sandbox/waits.js";
import { COLLECTIONS } from "../world/records.js";
import { unusable } from "./control-error.js";
import { endOf, NOTHING, refusal } from "./waits.js";

export const stateMatchSchema = object(
  {
    collection: oneOf(COLLECTIONS),
    id: optional(
      string({ maxLength: 1024, description: "of the record; left out: any of the collection will do" }),
    ),
    values: record(unknown(), { maxProperties: 100, description: "MATCH: the fields of the record" }),
  },
  { title: "state match" },
);
type StateMatch = Infer<typeof stateMatchSchema>;

/** Waits until the state holds a record, as long as the client is there. */
export async function waitForState(
  sandbox: Sandbox,
  match: StateMatch,
  timeoutMs: number,
  response: ServerResponse,
): Promise<HttpAnswer> {
  checkMatch(match);
  const wait = sandbox.waiters.state(match, timeoutMs);
  const end = await endOf(wait, response);
  if (end === "dropped") return NOTHING;
  const { records } = wait;
  if (end === "met") return { streamed: { matches: records, count: records.length } };
  const nearMisses = nearestRecords(sandbox.run.shown(), match);
  const what = nearMisses.length === 0 ? nothingThere(match) : `${nameOf(match)} as asked`;
  return refusal("waits.notHeld", { timeoutMs, what }, { count: 0, matches: [], nearMisses });
}

const nameOf = ({ collection, id }: StateMatch): string =>
  id === undefined ? `no record of the ${collection} is` : `${collection} ${id} is not`;

const nothingThere = ({ collection, id }: StateMatch): string =>
  id === undefined ? `there are no ${collection}` : `there is no ${id} among the ${collection}`;

/** @throws ControlError for a match that no record can meet */
function checkMatch({ collection, values }: StateMatch): void {
  const { fields = [], closed = {} } = RECORD_VALUES[collection] ?? {};
  const at = ["for", "state", "values"];
  const strange = Object.keys(values).filter((field) => !field.startsWith("$") && !fields.includes(field));
  const problems = [
    ...strange.map((field) => keyProblemAt([...at, field], unknownKey("field", field, fields))),
    ...patternProblems(values, at.join(".")),
    ...closedProblems(closed, values, at),
  ];
  if (problems.length > 0) throw unusable(problems);
}

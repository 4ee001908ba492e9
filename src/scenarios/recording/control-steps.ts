/** What customers, employees and clock did as steps: the step that makes the control call, else a `control` step. */

import { isDeepStrictEqual } from "node:util";
import type { ControlRecord } from "../../client/types.js";
import { isObject, valueAt } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { durationText } from "../../kernel/units.js";
import { singular } from "../../kernel/words.js";
import type { Fields, StepCall, StepKind } from "../step.js";
import { paramsIn } from "../step.js";
import { STEPS } from "../steps/index.js";
import { withoutSecrets } from "../varying.js";
import type { Draft, References } from "./references.js";

type Call = Pick<ControlRecord, "method" | "path" | "body" | "response">;

/** The step for a control call. */
export function controlStep(record: Call, references: References): Draft {
  const call = `${record.method} ${record.path}`;
  const body = withoutSecrets(record.body);
  const fields = isObject(body) ? body : {};
  let draft: Draft | undefined;
  for (const kind of STEPS) draft ??= stepOf(kind, call, fields, references);
  draft ??= asCall(record, body, references);
  references.add(draft, record.response, ["body"]);
  return draft;
}

/** The step of a kind that makes a call; undefined if it cannot express the whole call. */
function stepOf(kind: StepKind, called: string, body: Fields, references: References): Draft | undefined {
  const { key, send, short, long, verbatim } = kind;
  const params = send && paramsIn(send, called);
  const fields = params && fieldsIn(send, long, body);
  if (params === undefined || fields === undefined) return undefined;
  if (!(long.required ?? []).every((name) => name in { ...params, ...fields })) return undefined;
  // Without a thread of its own the step takes the scenario's, but the call takes the first that exists.
  const isElsewhere = key === "emit" && valueAt(fields, ["data", "customerThreadId"]) === undefined;
  if (isElsewhere && references.thread !== undefined) return undefined;
  const ids = Object.entries(params)
    .map(([name, id]) => [name, references.placeholder(id) ?? references.id(id)])
    .filter(([name, id]) => name !== "thread" || id !== "${thread}");
  const values = verbatim ? fields : (references.body(fields) as Fields);
  const input = { ...Object.fromEntries(ids), ...values };
  return { step: { [key]: inShort(short, input) ?? input }, noun: send?.noun ?? "outcome" };
}

/** The fields of a body by the step's keys, in their order, without defaults; undefined if the step cannot express it. */
function fieldsIn(
  { fields = {}, body: whole }: StepCall,
  { properties }: Schema,
  body: Fields,
): Fields | undefined {
  if (properties === undefined || whole !== undefined) {
    if (Object.keys(body).length === 0) return undefined;
    return whole === undefined ? body : { [whole]: body };
  }
  const found = Object.entries(properties)
    .map(([key, schema]) => ({ key, schema, value: body[fields[key] ?? key] }))
    .filter(({ value }) => value !== undefined);
  if (found.length !== Object.keys(body).length) return undefined;
  const told = found.filter(({ schema, value }) => value !== schema.default && !isEmpty(value));
  return Object.fromEntries(told.map(({ key, value }) => [key, key === "by" ? durationOf(value) : value]));
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** A person writes a duration as text. */
const durationOf = (value: unknown): unknown => (typeof value === "number" ? durationText(value) : value);

function inShort(short: StepKind["short"], input: Fields): unknown {
  const { const: constant, enum: values = [] } = short?.schema ?? {};
  return [constant, ...values, ...Object.values(input)].find(
    (value) => value !== undefined && isDeepStrictEqual(short?.long(value), input),
  );
}

function asCall({ method, path }: Call, body: unknown, references: References): Draft {
  const [, collection = "outcome"] = /^\/data\/([^/]+)/.exec(path) ?? [];
  const control = `${method} ${references.path(path)}`;
  return {
    noun: singular(collection),
    step: { control, ...(body !== null && { body: references.body(body) }) },
  };
}

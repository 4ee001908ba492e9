/** Control calls as steps: the step that makes the call if there is one, else a `control` step. */

import { isDeepStrictEqual } from "node:util";
import type { ControlRecord } from "../../client/types.js";
import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { durationText } from "../../kernel/units.js";
import { singular } from "../../kernel/words.js";
import { escaped } from "../placeholders.js";
import type { StepCall, StepKind } from "../step.js";
import { paramsIn } from "../step.js";
import { STEPS } from "../steps/index.js";
import { STAND_IN, withoutSecrets } from "../trace.js";
import type { Draft, References } from "./references.js";
import { writtenBody } from "./references.js";

type Fields = Readonly<Record<string, unknown>>;

/** Writes the input of a step; undefined if the step cannot express the whole call. */
type Write = (call: {
  readonly params: Readonly<Record<string, string>>;
  /** The fields of its body, by the keys of the step. */
  readonly fields: Fields;
  readonly references: References;
}) => Fields | undefined;

/** Calls that only clear logs are left out. */
const FORGETS = /^DELETE \/(requests|warnings)$/;

const write: Write = ({ params, fields, references }) => {
  const values = references.body(fields);
  if (!isObject(values) || typeof writtenBody(values) === "string") return undefined;
  const ids = Object.entries(params)
    .map(([key, id]) => [key, references.placeholder(id) ?? references.id(id)])
    .filter(([key, id]) => key !== "thread" || id !== "${thread}");
  return { ...Object.fromEntries(ids), ...values };
};

const WRITERS: Readonly<Record<string, Write>> = {
  employee: ({ fields: { internal, ...fields }, ...call }) =>
    write({ ...call, fields: internal === true ? { ...fields, internal } : fields }),
  advance: ({ fields: { by } }) => ({ by: typeof by === "number" ? durationText(by) : by }),
  emit: ({ fields: { data, ...fields }, ...call }) => {
    const payload = isObject(data) ? data : {};
    // Without a thread of its own the step takes the scenario's, but the call takes the first that exists.
    if (payload.customerThreadId === undefined && call.references.thread !== undefined) return undefined;
    const isEmpty = Object.keys(payload).length === 0;
    return write({ ...call, fields: { event: fields.event, ...(isEmpty ? {} : { data }), ...fields } });
  },
  // Its placeholders are the behaviour's own.
  behaviour: ({ fields }) => fields,
  snapshot: ({ fields: { name }, references }) => {
    references.keepSnapshot(String(name));
    return { name: escaped(String(name)) };
  },
  restore: ({ params: { name = "" }, references }) => {
    references.restoreSnapshot(name);
    return { name: escaped(name) };
  },
};

/** The step for a control call; undefined if a scenario does not need it. */
export function controlStep(record: ControlRecord, references: References): Draft | undefined {
  const call = `${record.method} ${record.path}`;
  if (FORGETS.test(call)) return undefined;
  const body = withoutSecrets(withMaskedSignature(record.body));
  const draft = asStep(call, isObject(body) ? body : {}, references) ?? asCall(record, body, references);
  references.add(draft, record.response, ["body"], record.method === "POST");
  return draft;
}

function asStep(called: string, body: Fields, references: References): Draft | undefined {
  for (const kind of STEPS) {
    const { key, send: call, short } = kind;
    const params = call && paramsIn(call, called);
    const fields = params && fieldsIn(call, kind.long, body);
    const isWhole = (kind.long.required ?? []).every((name) => name in { ...params, ...fields });
    if (params === undefined || fields === undefined || !isWhole) continue;
    const input = (WRITERS[key] ?? write)({ params, fields, references });
    if (input !== undefined)
      return { step: { [key]: inShort(short, input) ?? input }, noun: call?.noun ?? "outcome" };
  }
  return undefined;
}

/** The fields of a body by the step's keys, in their order; undefined if the step cannot express it. */
function fieldsIn(
  { fields = {}, body: whole }: StepCall,
  { properties }: Schema,
  body: Fields,
): Fields | undefined {
  if (properties === undefined || whole !== undefined) {
    if (Object.keys(body).length === 0) return undefined;
    return whole === undefined ? body : { [whole]: body };
  }
  const found = Object.keys(properties)
    .map((key) => [key, fields[key] ?? key] as const)
    .filter(([, field]) => Object.hasOwn(body, field));
  const isAll = found.length === Object.keys(body).length;
  return isAll ? Object.fromEntries(found.map(([key, field]) => [key, body[field]])) : undefined;
}

function inShort(short: StepKind["short"], input: Fields): unknown {
  const { const: constant, enum: values = [] } = short?.schema ?? {};
  return [constant, ...values, ...Object.values(input)].find(
    (value) => value !== undefined && isDeepStrictEqual(short?.long(value), input),
  );
}

function asCall({ method, path, query }: ControlRecord, body: unknown, references: References): Draft {
  const search = new URLSearchParams(query).toString();
  const [, collection = "outcome"] = /^\/data\/([^/]+)/.exec(path) ?? [];
  const control = `${method} ${references.path(path)}${search === "" ? "" : `?${escaped(search)}`}`;
  return {
    noun: singular(collection),
    step: { control, ...(body !== null && { body: writtenBody(references.body(body)) }) },
  };
}

const withMaskedSignature = (body: unknown): unknown =>
  isObject(body) && "delivery.signature" in body
    ? { ...body, "delivery.signature": maskedSignature(body["delivery.signature"]) }
    : body;

/** A signature setting without its secrets: in a recording any other text serves as well. */
export const maskedSignature = (setting: unknown): unknown =>
  isObject(setting) && Array.isArray(setting.secrets)
    ? { ...setting, secrets: setting.secrets.map(() => STAND_IN) }
    : setting;
